/* Allocates and frees a thousand blocks, says how many there have been, and waits a little: until it is ended, or so often. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int count, char **arguments) {
  const struct timespec little = {0, 1000000};
  const long rounds = count > 1 ? atol(arguments[1]) : 0;
  for (long round = 1; rounds == 0 || round <= rounds; ++round) {
    for (int i = 0; i < 1000; ++i) {
      char *volatile block = malloc(24);
      *block = 1;
      free(block);
    }
    printf("%ld\n", round * 1000);
    fflush(stdout);
    nanosleep(&little, NULL);
  }
  return 0;
}
