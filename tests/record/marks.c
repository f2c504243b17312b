/* Writes a block a thousand times in each of three parts, of which marks enclose the second, and a function the third. */
#include "abut/trace_marks.h"

#include <stdlib.h>

static volatile int *block;

static void write_all(int value) {
  for (int i = 0; i < 1000; ++i) block[i] = value;
}

__attribute__((noinline)) void last_part(void) { write_all(3); }

int main(int count, char **arguments) {
  block = malloc(1000 * sizeof *block);
  /* With a word, so long before that: a while, or for ever. */
  const int is_endless = count > 1 && arguments[1][0] == 'e';
  for (int i = 0; count > 1 && (i < 40000 || is_endless); i += !is_endless) write_all(i % 7919);
  write_all(1);
  abut_trace_start();
  write_all(2);
  abut_trace_stop();
  last_part();
  free((void *)block);
  return 0;
}
