// A library that only those find who search the folder that it lies in.
int beside_answer(void);
int beside_answer(void) { return 42; }
