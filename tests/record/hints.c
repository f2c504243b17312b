/* Allocates with hints. */
#include "abut/abut.h"

#include <stdlib.h>

int main(void) {
  char *first = malloc(100);
  char *second = abut_malloc_near(50, first + 10);
  char *third = abut_calloc_near(5, 10, second);
  abut_touch(third + 1, 7);
  free(first);
  free(second);
  free(third);
  return 0;
}
