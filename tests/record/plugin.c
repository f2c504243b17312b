/* A library for plugins.c. */
#include <stdlib.h>

void *make(void) {
  char *volatile block = malloc(123);
  *block = 1;
  return block;
}
