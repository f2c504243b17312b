/* A list that is walked, an array, an array of pointers, and a pointer that is kept in memory: what their addresses come from. */
#include <stdlib.h>

struct node {
  struct node *next;
  long value;
};

enum { COUNT = 1000 };

static __attribute__((noinline)) long walk(const struct node *node) {
  long sum = 0;
  for (; node != NULL; node = node->next) sum += node->value;
  return sum;
}

static __attribute__((noinline)) long add_up(const long *values) {
  long sum = 0;
  for (int i = 0; i < COUNT; ++i) sum ^= values[i] + (sum << 1);
  return sum;
}

static __attribute__((noinline)) long add_up_pointed(struct node *const *nodes) {
  long sum = 0;
  for (int i = 0; i < COUNT; ++i) sum += nodes[i]->value;
  return sum;
}

int main(void) {
  long *values = malloc(COUNT * sizeof *values);
  struct node **nodes = malloc(COUNT * sizeof *nodes);
  for (int i = 0; i < COUNT; ++i) values[i] = i;
  for (int i = 0; i < COUNT; ++i) nodes[i] = calloc(1, sizeof **nodes);
  for (int i = 1; i < COUNT; ++i) nodes[i - 1]->next = nodes[i];
  return (walk(nodes[0]) + add_up(values) + add_up_pointed(nodes)) == 0;
}
