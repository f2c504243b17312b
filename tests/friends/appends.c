// Lists that grow at their ends, one node at a time, in no order: `appends LISTS NODES [ROUNDS [LENGTH [TABLE [OTHERS]]]]`.
// Every node's friend is the one before it in its list. With LENGTH nodes a list ends, and another one begins in its place; 0: never.
// The lists stand in a table with room for TABLE of them, if that is more. For each node, OTHERS objects are made that have no
// friends, and live for a while. Says how many of a thousand nodes lie right
// behind theirs, in the mean, and "whole" if all are where they belong.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEHIND = 32 }; // bytes: a node and no more

struct node {
  struct node *next;
  uint64_t number, more[2];
};

struct list {
  struct node *tail;
  uint64_t length;
};

// The first nodes of all lists, also of those that have ended.
static struct node **heads;
static uint64_t head_count;

// A generator of Knuth's, whose upper bits are good enough here.
static uint64_t random_below(uint64_t bound) {
  static uint64_t state = 42;
  state = state * 6364136223846793005U + 1442695040888963407U;
  return (state >> 33) % bound;
}

// Objects without friends, the last of them.
static void *others[4096];

__attribute__((noinline)) static void make_others(uint64_t count) {
  static uint64_t made = 0;
  for (uint64_t i = 0; i < count; ++i) {
    void **place = &others[made++ % (sizeof others / sizeof *others)];
    free(*place);
    *place = malloc(100);
  }
}

static int build(struct list *all, uint64_t lists, uint64_t nodes, uint64_t length,
                 uint64_t others_each) {
  for (uint64_t i = 0; i < nodes; ++i) {
    struct list *list = &all[random_below(lists)];
    make_others(others_each);
    struct node *node = malloc(sizeof *node);
    if (node == NULL) return 0;
    node->next = NULL;
    node->number = i;
    if (list->tail != NULL)
      list->tail->next = node;
    else
      heads[head_count++] = node;
    list->tail = node;
    if (++list->length == length) *list = (struct list){0};
  }
  return 1;
}

// Frees all of them. Returns how many of a thousand lie behind their friends, -1 if one is not where it belongs.
static int64_t tear_down(uint64_t nodes) {
  uint64_t seen = 0, behind = 0;
  while (head_count != 0) {
    for (struct node *node = heads[--head_count]; node != NULL;) {
      struct node *next = node->next;
      if (next != NULL && next->number <= node->number) return -1;
      behind += (uintptr_t)next - (uintptr_t)node == BEHIND;
      ++seen;
      free(node);
      node = next;
    }
  }
  return seen == nodes ? (int64_t)(behind * 1000 / nodes) : -1;
}

int main(int count, char **arguments) {
  if (count < 3 || count > 7) return 2;
  const uint64_t lists = strtoull(arguments[1], NULL, 10);
  const uint64_t nodes = strtoull(arguments[2], NULL, 10);
  const uint64_t rounds = count > 3 ? strtoull(arguments[3], NULL, 10) : 1;
  const uint64_t length = count > 4 ? strtoull(arguments[4], NULL, 10) : 0;
  const uint64_t table = count > 5 ? strtoull(arguments[5], NULL, 10) : 0;
  const uint64_t others_each = count > 6 ? strtoull(arguments[6], NULL, 10) : 0;
  if (lists == 0 || nodes == 0 || rounds == 0) return 2;
  struct list *all = calloc(lists > table ? lists : table, sizeof *all);
  heads = calloc(nodes, sizeof *heads);
  if (all == NULL || heads == NULL) return 1;
  int64_t behind = 0;
  for (uint64_t i = 0; i < rounds; ++i) {
    memset(all, 0, lists * sizeof *all);
    if (!build(all, lists, nodes, length, others_each)) return 1;
    const int64_t now = tear_down(nodes);
    if (now < 0) return 1;
    behind += now;
  }
  free(heads);
  free(all);
  printf("%lld whole\n", (long long)(behind / (int64_t)rounds));
  return 0;
}
