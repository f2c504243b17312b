// Starts a thread while it is loaded, and waits for what that has allocated; the dynamic linker holds its lock meanwhile.
#include <pthread.h>
#include <stdlib.h>

int waits_for_thread_got(void);

static void *from_thread;

static void *allocate(void *bytes) { return from_thread = malloc((size_t)bytes); }

__attribute__((constructor)) static void start_and_wait(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, allocate, (void *)1000) == 0) pthread_join(thread, NULL);
}

__attribute__((destructor)) static void end(void) { free(from_thread); }

int waits_for_thread_got(void) { return from_thread != NULL; }
