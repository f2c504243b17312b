// Registers fork handlers from a constructor that runs before the preloaded heap's own, so that its
// `prepare` runs after the heap's: with the heap's locks already held, if it holds any. The
// handlers allocate all the same.
#include <pthread.h>
#include <stdlib.h>

int early_fork_handler_calls;

static void allocate(void) {
  for (size_t size = 1; size < 2000000; size = size * 5 + 3) {
    char *volatile block = malloc(size);
    if (block == NULL) abort();
    block[size - 1] = 1;
    free(block);
  }
  ++early_fork_handler_calls;
}

__attribute__((constructor)) static void register_handlers(void) {
  pthread_atfork(allocate, allocate, allocate);
}
