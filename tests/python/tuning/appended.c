// Nodes of two kinds, both appended in turn to lists. Some are walked along their lists, and lie best beside the list's end;
// the others are walked through an index, in the order of birth, and lie best where no friend draws them elsewhere.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LISTS = 256, MANY = 8192 };

struct node {
  struct node *next;
  uint64_t value, more[2];
};

static struct node first_walked[LISTS], first_indexed[MANY];

__attribute__((noipa)) struct node *append_walked(struct node **end, uint64_t value) {
  struct node *node = malloc(sizeof *node);
  *node = (struct node){NULL, value, {0}};
  (*end)->next = node;
  return *end = node;
}

__attribute__((noipa)) struct node *append_indexed(struct node **end, uint64_t value) {
  struct node *node = malloc(sizeof *node);
  *node = (struct node){NULL, value, {0}};
  (*end)->next = node;
  return *end = node;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  const uint64_t count = strtoull(argv[1], NULL, 10), walks = strtoull(argv[2], NULL, 10);
  struct node **index = malloc(count * sizeof *index), *walked[LISTS], *indexed[MANY];
  for (int i = 0; i < LISTS; ++i) walked[i] = &first_walked[i];
  for (int i = 0; i < MANY; ++i) indexed[i] = &first_indexed[i];
  for (uint64_t i = 0; i < count; ++i) append_walked(&walked[i % LISTS], i);
  for (uint64_t i = 0; i < count; ++i) index[i] = append_indexed(&indexed[i % MANY], i);
  uint64_t sum = 0;
  for (uint64_t walk = 0; walk < walks; ++walk) {
    for (int i = 0; i < LISTS; ++i)
      for (const struct node *node = &first_walked[i]; node != NULL; node = node->next)
        sum += node->value;
    for (uint64_t i = 0; i < count; ++i) sum += index[i]->value;
  }
  printf("%lu\n", (unsigned long)sum);
  return 0;
}
