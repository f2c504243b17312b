#include "context/wrapper_cases.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __clang__
#define ALONE __attribute__((noinline))
#else
#define ALONE __attribute__((noinline, noclone, noipa))
#endif

typedef struct Node {
  struct Node *next;
  long value;
} Node;

typedef struct {
  long *items;
  size_t count;
} Array;

static size_t total;
static void *volatile kept;
static void *place;
static void **volatile where = &place; // so that none knows that it is always the same
static Node *nodes;
static Array array;
static volatile size_t eight = 8; // so that no compiler knows how much is copied
static int (*volatile retry)(size_t);

static ALONE void die(void) { abort(); }
static ALONE void lock(void) { ++total; }

static ALONE void *checked(size_t n) {
  void *p = case_malloc(n);
  if (p == NULL) die();
  return p;
}
static ALONE void *accounted(size_t n) {
  void *p = case_malloc(n);
  if (p) total += n;
  return p;
}
static ALONE void *retried(size_t n) {
  void *p;
  while ((p = case_malloc(n)) == NULL)
    if (!retry || !retry(n)) return NULL;
  return p;
}
static ALONE void *keeps_errno(size_t n) {
  int saved = errno;
  void *p = case_malloc(n);
  errno = saved;
  return p;
}
static ALONE void *locked(size_t n) {
  lock();
  void *p = case_malloc(n);
  lock();
  return p;
}
static ALONE void *cleared(size_t n) {
  void *p = case_malloc(n);
  if (!p) die();
  memset(p, 0, n);
  return p;
}
static ALONE void *cleared_small(void) {
  void *p = case_malloc(32);
  if (!p) die();
  memset(p, 0, 32);
  return p;
}
static ALONE void *cleared_inline(void) {
  void *p = case_malloc(256);
  if (!p) return NULL;
  memset(p, 0, 256);
  return p;
}
static ALONE void *outer(size_t n) {
  void *p = checked(n);
  ++total;
  return p;
}
static ALONE void *outermost(size_t n) {
  if (n == 0) n = 1;
  void *p = outer(n);
  lock();
  return p;
}
static ALONE void *resized(void *old, size_t n) {
  void *p = old ? realloc(old, n) : case_malloc(n);
  lock();
  return p;
}
static ALONE void *copied(const void *from, size_t n) {
  void *p = case_malloc(n);
  if (!p) return NULL;
  return memcpy(p, from, n);
}
static ALONE void *with_header(size_t n) {
  size_t *p = case_malloc(n + 16);
  if (!p) return NULL;
  p[0] = n;
  return p + 2;
}
static ALONE Node *node(long value) {
  Node *p = case_malloc(sizeof *p);
  if (!p) die();
  p->next = NULL;
  p->value = value;
  return p;
}
static ALONE void *stored(size_t n) {
  void *p = case_malloc(n);
  kept = p;
  return p;
}
static ALONE long used(size_t n) {
  char *p = case_malloc(n);
  memset(p, 1, n);
  long sum = p[0] + p[n - 1];
  free(p);
  return sum;
}
static ALONE int given_back(void **out, size_t n) {
  void *p = case_malloc(n);
  if (p == NULL) return ENOMEM;
  *out = p;
  return 0;
}
static ALONE bool given_at_once(size_t n, void **out) {
  if (n > 1000) return false;
  *out = case_malloc(n);
  return *out != NULL;
}
static ALONE void given_cleared(void **out, size_t n) {
  *out = NULL;
  lock();
  void *p = case_malloc(n);
  if (!p) die();
  memset(p, 0, n);
  *out = p;
  total += n;
}
static ALONE int node_given(Node **out, long value) {
  Node *p = case_malloc(sizeof *p);
  if (!p) return -1;
  p->next = NULL;
  p->value = value;
  *out = p;
  return 0;
}
static ALONE void pushed(Node **list) {
  Node *p = case_malloc(sizeof *p);
  if (!p) die();
  p->next = *list;
  *list = p;
}
static ALONE int reserved(Array *array, size_t n) {
  array->items = case_malloc(n * sizeof *array->items);
  if (!array->items) return -1;
  array->count = n;
  return 0;
}

#define CALL(name, call)                                                                           \
  static void call_##name(void) { kept = (void *)(intptr_t)call; }
CALL(checked, checked(8))
CALL(accounted, accounted(8))
CALL(retried, retried(8))
CALL(keeps_errno, keeps_errno(8))
CALL(locked, locked(8))
CALL(cleared, cleared(100))
CALL(cleared_small, cleared_small())
CALL(cleared_inline, cleared_inline())
CALL(outermost, outermost(8))
CALL(resized, resized(NULL, 8))
CALL(copied, copied("abcdefg", eight))
CALL(with_header, with_header(8))
CALL(node, node((long)total + 1))
CALL(stored, stored(8))
CALL(used, used(8))
CALL(given_back, given_back(where, eight))
CALL(given_at_once, given_at_once(eight, where))
CALL(node_given, node_given(&nodes, (long)total))
CALL(reserved, reserved(&array, eight))
static void call_given_cleared(void) { given_cleared(where, eight); }
static void call_pushed(void) { pushed(&nodes); }

#define CASE(name, expected)                                                                       \
  { #name, call_##name, expected }

extern const WrapperCase CASES[];
const WrapperCase CASES[] = {
    CASE(checked, PASSES_ON),          CASE(accounted, PASSES_ON),
    CASE(retried, PASSES_ON),          CASE(keeps_errno, PASSES_ON),
    CASE(locked, PASSES_ON),           CASE(cleared, PASSES_ON),
    CASE(cleared_inline, PASSES_ON),   CASE(outermost, PASSES_ON),
    CASE(resized, PASSES_ON),          CASE(cleared_small, PASSES_ON),
    CASE(copied, PASSES_ON),           CASE(with_header, PASSES_ON),
    CASE(node, KNOWS_THE_BLOCK),       CASE(stored, KNOWS_THE_BLOCK),
    CASE(used, KNOWS_THE_BLOCK),       CASE(given_back, GIVES_BACK),
    CASE(given_at_once, GIVES_BACK),   CASE(given_cleared, GIVES_BACK),
    CASE(node_given, KNOWS_THE_BLOCK), CASE(pushed, KNOWS_THE_BLOCK),
    CASE(reserved, KNOWS_THE_BLOCK),   {NULL, NULL, PASSES_ON},
};
