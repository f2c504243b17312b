/* Waits for a line, then allocates and frees as often as that says, in so many threads one after the other. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *allocate(void *times) {
  for (long i = *(const long *)times; i > 0; --i) {
    char *volatile block = malloc(24);
    *block = 1;
    free(block);
  }
  return NULL;
}

int main(int count, char **arguments) {
  long times = count > 1 ? atol(arguments[1]) : 1;
  const long threads = count > 2 ? atol(arguments[2]) : 0;
  puts("ready");
  fflush(stdout);
  getchar();
  if (threads == 0) allocate(&times);
  for (long i = 0; i < threads; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, allocate, &times);
    pthread_join(thread, NULL);
  }
  puts("done");
  return 0;
}
