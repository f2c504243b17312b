/* Accesses of a block: an instruction, a thousand times. */
#include <stdlib.h>

struct node {
  long a, b, c;
};

#define REPEAT(instruction)                                                                        \
  for (int i = 0; i < 1000; ++i)                                                                   \
  __asm__ volatile(instruction : : "r"(&nodes[i]), "r"(one) : "memory", "cc", "rax")

int main(int count, char **arguments) {
  struct node *volatile block = calloc(1000, sizeof(struct node));
  struct node *nodes = block;
  const long one = 1;
  switch (count > 1 ? *arguments[1] : 0) {
  case 'i': REPEAT("lock incq (%0)"); break;
  case 'a': REPEAT("lock xaddq %%rax, (%0)"); break;
  case 'x': REPEAT("xchgq %%rax, (%0)"); break;
  case 'c': REPEAT("lock cmpxchgq %1, (%0)"); break;
  default: return 1;
  }
  free(nodes);
  return 0;
}
