// Data structures whose groups are known: `shapes NAME COUNT` builds one of so many objects, and checks it.
//
// `insert` is the code of Wang, Wu and Yew 2010, figure 3; the others vary it.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct data {
  uint64_t value[3];
};

struct node {
  struct data *data;
  struct node *next;
};

// So that each function stays one of its own, however alike two are.
#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noipa))
#endif

static APART struct node *first_node(void) { return malloc(sizeof(struct node)); }
static APART struct data *first_data(void) { return malloc(sizeof(struct data)); }
static APART struct node *next_node(void) { return malloc(sizeof(struct node)); }
static APART struct data *next_data(void) { return malloc(sizeof(struct data)); }

// Each of these is a caller of its own, which knows the object: no wrapper.
static APART struct node *make_first(uint64_t value) {
  struct node *node = first_node();
  node->data = NULL;
  node->next = NULL;
  (void)value;
  return node;
}
static APART struct data *fill_first(uint64_t value) {
  struct data *data = first_data();
  data->value[0] = data->value[1] = data->value[2] = value;
  return data;
}
static APART struct node *make_next(struct node *here) {
  struct node *node = next_node();
  node->next = here->next;
  node->data = NULL;
  return node;
}
static APART struct data *fill_next(uint64_t value) {
  struct data *data = next_data();
  data->value[0] = data->value[1] = data->value[2] = value;
  return data;
}

// The list of the figure: one node and its datum from one place, all others from another, inserted after the head.
static int insert(uint64_t count) {
  struct node *head = make_first(0);
  head->data = fill_first(0);
  for (uint64_t i = 1; i < count; ++i) {
    struct node *node = make_next(head);
    node->data = fill_next(i);
    head->next = node;
  }
  uint64_t seen = 0;
  for (struct node *node = head; node; node = node->next)
    seen += node->data->value[1] == (seen == 0 ? 0 : count - seen);
  return seen == count;
}

// Lists that hold each other's type of node, made in two places: the groups are linked both ways.
static int alternate(uint64_t count) {
  struct node *head = NULL;
  for (uint64_t i = 0; i < count; ++i) {
    struct node *node = i % 2 ? make_first(i) : make_next(&(struct node){.next = NULL});
    node->next = head;
    head = node;
  }
  uint64_t seen = 0;
  for (struct node *node = head; node; node = node->next) ++seen;
  return seen == count;
}

// Two lists of one type that never meet: no reason to merge them.
static int separate(uint64_t count) {
  struct node *one = NULL, *other = NULL;
  for (uint64_t i = 0; i < count; ++i) {
    struct node *node = make_first(i);
    node->next = one;
    one = node;
    node = make_next(&(struct node){.next = NULL});
    node->next = other;
    other = node;
  }
  uint64_t seen = 0;
  for (struct node *node = one; node; node = node->next) ++seen;
  for (struct node *node = other; node; node = node->next) ++seen;
  return seen == 2 * count;
}

// Objects that nothing points at and that point at nothing.
static int loners(uint64_t count) {
  uint64_t seen = 0;
  static struct data *all[4096];
  for (uint64_t i = 0; i < count; ++i) {
    struct data *data = fill_next(i);
    free(all[i % 4096]);
    all[i % 4096] = data;
    ++seen;
  }
  return seen == count;
}

// A list, and as many objects that nothing points at but an array.
static int mixed(uint64_t count) {
  struct node *head = NULL;
  struct data **all = calloc(count, sizeof *all);
  for (uint64_t i = 0; i < count; ++i) {
    struct node *node = make_next(&(struct node){.next = head});
    head = node;
    all[i] = fill_next(i);
  }
  uint64_t seen = 0;
  for (struct node *node = head; node; node = node->next) seen += all[seen]->value[1] == seen;
  return seen == count;
}

// Two lists whose nodes no wrapper makes.
static uint64_t in_order(const struct node *node, uint64_t count) {
  uint64_t seen = 0;
  for (; node && (uintptr_t)node->data == count - seen; node = node->next) ++seen;
  return seen;
}
static int plain_lists(uint64_t count) {
  struct node *one = NULL, *other = NULL;
  for (uint64_t i = 1; i <= count; ++i) {
    struct node *node = malloc(sizeof *node);
    *node = (struct node){(struct data *)(uintptr_t)i, one};
    one = node;
    node = malloc(sizeof *node);
    *node = (struct node){(struct data *)(uintptr_t)i, other};
    other = node;
  }
  return in_order(one, count) == count && in_order(other, count) == count;
}

// They in a thread, which leaves its heap behind; then in some threads at once, and in others when these are gone.
static void *lists_in_thread(void *count) { return plain_lists(*(uint64_t *)count) ? count : NULL; }
static int in_threads(uint64_t count, int how_many) {
  pthread_t threads[4];
  int whole = 1;
  for (int i = 0; i < how_many; ++i)
    if (pthread_create(&threads[i], NULL, lists_in_thread, &count) != 0) return 0;
  for (int i = 0; i < how_many; ++i) {
    void *result = NULL;
    pthread_join(threads[i], &result);
    whole &= result != NULL;
  }
  return whole;
}
static int threads(uint64_t count) {
  return in_threads(count, 1) && in_threads(count, 4) && in_threads(count, 4);
}

// Lists that are appended to in turn, from two places: each object has a friend, the end of its list.
enum { LISTS = 64 };
static APART void append_even(struct node **end) {
  struct node *node = malloc(sizeof *node);
  *node = (struct node){(struct data *)((uintptr_t)(*end)->data + 1), NULL};
  (*end)->next = node;
  *end = node;
}
static APART void append_odd(struct node **end) {
  struct node *node = malloc(sizeof *node);
  *node = (struct node){(struct data *)((uintptr_t)(*end)->data + 1), NULL};
  (*end)->next = node;
  *end = node;
}
static int appended(uint64_t count) {
  static struct node first[LISTS], *ends[LISTS];
  for (int i = 0; i < LISTS; ++i) ends[i] = &first[i];
  for (uint64_t i = 0; i < count; ++i) (i % 2 ? append_odd : append_even)(&ends[i % LISTS]);
  uint64_t seen = 0;
  for (int i = 0; i < LISTS; ++i) {
    uint64_t before = 0;
    for (struct node *node = first[i].next; node; node = node->next)
      seen += (uintptr_t)node->data == ++before;
  }
  return seen == count;
}

// Objects that are gone before the next is there.
static int short_lived(uint64_t count) {
  uint64_t seen = 0;
  for (uint64_t i = 0; i < count; ++i) {
    struct data *data = malloc(sizeof(struct data));
    data->value[2] = i;
    seen += data->value[2] == i;
    free(data);
  }
  return seen == count;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  const uint64_t count = strtoull(argv[2], NULL, 10);
  free(realpath("/", NULL)); // a thread's first request makes its heap, and is in no group
  int good = 0;
  if (strcmp(argv[1], "insert") == 0) good = insert(count);
  if (strcmp(argv[1], "alternate") == 0) good = alternate(count);
  if (strcmp(argv[1], "separate") == 0) good = separate(count);
  if (strcmp(argv[1], "mixed") == 0) good = mixed(count);
  if (strcmp(argv[1], "threads") == 0) good = threads(count);
  if (strcmp(argv[1], "loners") == 0) good = loners(count);
  if (strcmp(argv[1], "appended") == 0) good = appended(count);
  if (strcmp(argv[1], "short-lived") == 0) good = short_lived(count);
  puts(good ? "whole" : "broken");
  return good ? 0 : 1;
}
