// Lists that grow at their ends, one node at a time, in no order: `appends LISTS NODES [ROUNDS]`. Every node's friend is the
// one before it in its list. Says how many of a thousand nodes lie right behind theirs, in the mean, and "whole" if all are
// where they belong.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { BEHIND = 32 }; // bytes: a node and no more

struct node {
  struct node *next;
  uint64_t number, more[2];
};

struct list {
  struct node *head, *tail;
};

// A generator of Knuth's, whose upper bits are good enough here.
static uint64_t random_below(uint64_t bound) {
  static uint64_t state = 42;
  state = state * 6364136223846793005U + 1442695040888963407U;
  return (state >> 33) % bound;
}

static int build(struct list *all, uint64_t lists, uint64_t nodes) {
  for (uint64_t i = 0; i < nodes; ++i) {
    struct list *list = &all[random_below(lists)];
    struct node *node = malloc(sizeof *node);
    if (node == NULL) return 0;
    node->next = NULL;
    node->number = i;
    if (list->tail != NULL)
      list->tail->next = node;
    else
      list->head = node;
    list->tail = node;
  }
  return 1;
}

// Frees all of them. Returns how many of a thousand lie behind their friends, -1 if one is not where it belongs.
static int64_t tear_down(struct list *all, uint64_t lists, uint64_t nodes) {
  uint64_t seen = 0, behind = 0;
  for (uint64_t i = 0; i < lists; ++i) {
    for (struct node *node = all[i].head; node != NULL;) {
      struct node *next = node->next;
      if (next != NULL && next->number <= node->number) return -1;
      behind += (uintptr_t)next - (uintptr_t)node == BEHIND;
      ++seen;
      free(node);
      node = next;
    }
    all[i].head = all[i].tail = NULL;
  }
  return seen == nodes ? (int64_t)(behind * 1000 / nodes) : -1;
}

int main(int count, char **arguments) {
  if (count != 3 && count != 4) return 2;
  const uint64_t lists = strtoull(arguments[1], NULL, 10);
  const uint64_t nodes = strtoull(arguments[2], NULL, 10);
  const uint64_t rounds = count == 4 ? strtoull(arguments[3], NULL, 10) : 1;
  if (lists == 0 || nodes == 0 || rounds == 0) return 2;
  struct list *all = calloc(lists, sizeof *all);
  if (all == NULL) return 1;
  int64_t behind = 0;
  for (uint64_t i = 0; i < rounds; ++i) {
    if (!build(all, lists, nodes)) return 1;
    const int64_t now = tear_down(all, lists, nodes);
    if (now < 0) return 1;
    behind += now;
  }
  free(all);
  printf("%lld whole\n", (long long)(behind / (int64_t)rounds));
  return 0;
}
