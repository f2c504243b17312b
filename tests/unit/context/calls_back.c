// Libraries that are alike but for the sizes of their frames.
__attribute__((noinline)) static void call_deeper(void (*function)(void)) {
  char frame[FRAME];
  __asm__ volatile("" : : "r"(frame) : "memory");
  function();
  __asm__ volatile("" : : "r"(frame) : "memory");
}

__attribute__((visibility("default"))) void call_back(void (*function)(void)) {
  char frame[FRAME / 2];
  __asm__ volatile("" : : "r"(frame) : "memory");
  call_deeper(function);
  __asm__ volatile("" : : "r"(frame) : "memory");
}
