/* A handler that writes a block a hundred times, then an end by a signal that nobody handles. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static volatile char *block;

static void handler(int number) {
  for (int i = 0; i < 100; ++i) block[i] = (char)number;
}

int main(void) {
  block = malloc(100);
  signal(SIGUSR1, handler);
  for (int i = 0; i < 10; ++i) raise(SIGUSR1);
  kill(getpid(), SIGTERM);
  for (;;) pause();
}
