/* Accesses of a block, a thousand each: 'u' reads three words whose values are not used, others are one instruction. */
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
  case 'u':
    REPEAT("movq (%0), %%rax; xorl %%eax, %%eax; cmpq $1, 8(%0); movq 16(%0), %%rax; "
           "movl $1, %%eax; addq %%rax, %%rax");
    break;
  case 'i': REPEAT("lock incq (%0)"); break;
  case 'a': REPEAT("lock xaddq %%rax, (%0)"); break;
  case 'x': REPEAT("xchgq %%rax, (%0)"); break;
  case 'c': REPEAT("lock cmpxchgq %1, (%0)"); break;
  default: return 1;
  }
  free(nodes);
  return 0;
}
