/* So many threads at a time, which each allocate once all are there. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_barrier_t all_there;

static void *allocate(void *unused) {
  pthread_barrier_wait(&all_there);
  for (int i = 0; i < 10; ++i) {
    void *volatile block = malloc(100);
    free(block);
  }
  pthread_barrier_wait(&all_there);
  return unused;
}

int main(int count, char **arguments) {
  const int threads = count > 1 ? atoi(arguments[1]) : 2;
  pthread_t *each = malloc((size_t)threads * sizeof *each);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 1 << 16);
  pthread_barrier_init(&all_there, NULL, (unsigned)threads);
  for (int i = 0; i < threads; ++i)
    if (pthread_create(&each[i], &small, allocate, NULL) != 0) return 1;
  for (int i = 0; i < threads; ++i) pthread_join(each[i], NULL);
  printf("%d at a time\n", threads);
  free(each);
  return 0;
}
