/* Writes a block a thousand times in each of three parts, of which marks enclose the second, and a function the third. */
#include "abut/trace_marks.h"

#include <stdlib.h>

static volatile int *block;

static void write_all(int value) {
  for (int i = 0; i < 1000; ++i) block[i] = value;
}

__attribute__((noinline)) void last_part(void) { write_all(3); }

int main(void) {
  block = malloc(1000 * sizeof *block);
  write_all(1);
  abut_trace_start();
  write_all(2);
  abut_trace_stop();
  last_part();
  free((void *)block);
  return 0;
}
