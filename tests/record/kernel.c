/* The kernel writes 5000 bytes into a block, and reads them from it. */
#include <stdlib.h>
#include <unistd.h>

int main(void) {
  int ends[2];
  char *block = malloc(10000);
  if (pipe(ends) != 0) return 1;
  for (int i = 0; i < 5000; ++i) block[i] = (char)i;
  if (write(ends[1], block, 5000) != 5000) return 1;
  if (read(ends[0], block + 5000, 5000) != 5000) return 1;
  free(block);
  return 0;
}
