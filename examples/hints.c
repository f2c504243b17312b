/* Lists that grow in turn. Each node is asked for near the last of its list, because walks go from the one to the other.
 * What is linked with abut needs no preloading; where abut may be missing, abut/staticmalloc.h has the same hints, which are
 * plain requests there.
 */
#include <abut/abut.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kLists = 1000, kNodes = 200 };

struct node {
  struct node *next;
  int value;
};

static struct node *append(struct node *last, int value, int hinted) {
  struct node *node = hinted ? abut_malloc_near(sizeof *node, last) : malloc(sizeof *node);
  if (node == NULL) abort();
  node->next = NULL;
  node->value = value;
  if (last != NULL) last->next = node;
  return node;
}

static int on_one_page(const void *a, const void *b) {
  return (uintptr_t)a / 4096 == (uintptr_t)b / 4096;
}

/* Builds all lists in turn; of all nodes, the share in percent that lies on the page of the node before. */
static int build(int hinted) {
  static struct node *first[kLists], *last[kLists];
  memset(last, 0, sizeof last);
  for (int i = 0; i < kNodes; ++i)
    for (int list = 0; list < kLists; ++list) {
      last[list] = append(last[list], i, hinted);
      if (i == 0) first[list] = last[list];
    }
  int near = 0;
  for (int list = 0; list < kLists; ++list)
    for (struct node *node = first[list], *next; node != NULL; node = next) {
      next = node->next;
      near += next != NULL && on_one_page(node, next);
      free(node);
    }
  return 100 * near / (kLists * (kNodes - 1));
}

int main(void) {
  printf("abut %s\n", abut_version());
  printf("neighbours on one page: %d %% with hints, %d %% without\n", build(1), build(0));
  return 0;
}
