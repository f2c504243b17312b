/* Two threads: one allocates and fills blocks, the other sums them up and frees them. Each block goes from hand to hand
 * many times, as memory that one has freed is soon what the other is given. With an argument, the other resizes some more,
 * in their places, and the first frees them. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { TIMES = 20000, PLACES = 16, NUMBERS = 4 };

static _Atomic(long *) places[PLACES];

static _Atomic(void *) there, back;

static void *take(_Atomic(void *) *place) {
  void *block;
  while ((block = atomic_exchange(place, NULL)) == NULL)
    ;
  return block;
}

static void *resize(void *unused) {
  for (long i = 0; i < TIMES; ++i) atomic_store(&back, realloc(take(&there), 24));
  return unused;
}

static void have_resized(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, resize, NULL);
  for (long i = 0; i < TIMES; ++i) {
    atomic_store(&there, malloc(20));
    free(take(&back));
  }
  pthread_join(thread, NULL);
}

static void *produce(void *unused) {
  for (long i = 0; i < TIMES; ++i) {
    long *block = malloc(NUMBERS * sizeof *block);
    for (long j = 0; j < NUMBERS; ++j) block[j] = i;
    while (atomic_load(&places[i % PLACES]) != NULL)
      ;
    atomic_store(&places[i % PLACES], block);
  }
  return unused;
}

int main(int count, char **arguments) {
  (void)arguments;
  if (count > 1) have_resized();
  pthread_t thread;
  pthread_create(&thread, NULL, produce, NULL);
  long sum = 0;
  for (long i = 0; i < TIMES; ++i) {
    long *block;
    while ((block = atomic_load(&places[i % PLACES])) == NULL)
      ;
    for (long j = 0; j < NUMBERS; ++j) sum += block[j];
    atomic_store(&places[i % PLACES], NULL);
    free(block);
  }
  pthread_join(thread, NULL);
  printf("%ld\n", sum);
  return 0;
}
