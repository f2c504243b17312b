/* Makes the calls whose instructions are counted. Run by step_calls, with the heap preloaded.
 *
 * Before each of them it stops (int3) with the call's name in rdi and the function's address in rsi. It has made
 * every call many times before, so that each goes the way of nearly every request. Of a name's calls the shortest counts.
 */
#define _GNU_SOURCE // RTLD_DEFAULT
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef void *allocate_call(size_t);
typedef void *allocate_zeroed_call(size_t, size_t);
typedef void *resize_call(void *, size_t);
typedef void *aligned_call(size_t, size_t);
typedef size_t usable_call(void *);
typedef void free_call(void *);

struct calls {
  allocate_call *malloc;
  allocate_call *operator_new;
  allocate_zeroed_call *calloc;
  resize_call *realloc;
  aligned_call *aligned_alloc;
  usable_call *malloc_usable_size;
  free_call *free;
  free_call *operator_delete;
};

static void *find(const char *name) {
  void *function = dlsym(RTLD_DEFAULT, name);
  if (function != NULL) return function;
  fprintf(stderr, "hot_path_calls: %s is in no library; run this under LD_PRELOAD=libabut.so\n",
          name);
  exit(2);
}

static void stop_before(const char *name, void *function) {
  __asm__ volatile("int3" : : "D"(name), "S"(function) : "memory");
}

#ifdef __clang__
#define AT_ONE_SITE __attribute__((noinline)) static
#else
#define AT_ONE_SITE __attribute__((noipa)) static
#endif

/* All calls of one function are made here: the heap asks where a call comes from. */
AT_ONE_SITE void *allocate_at_one_site(allocate_call *function, size_t bytes) {
  void *block = function(bytes);
  __asm__ volatile("" : : "r"(block)); /* no tail call */
  return block;
}

AT_ONE_SITE void *allocate_zeroed_at_one_site(allocate_zeroed_call *function, size_t bytes) {
  void *block = function(1, bytes);
  __asm__ volatile("" : : "r"(block));
  return block;
}

/* So often that the heap knows that the size is busy, and that there is nothing to find out about its objects. */
static void warm_up(const struct calls *calls, size_t bytes) {
  for (int round = 0; round < 10000; ++round) {
    void *blocks[6];
    for (int i = 0; i < 6; ++i) blocks[i] = allocate_at_one_site(calls->malloc, bytes);
    for (int i = 0; i < 6; ++i) calls->free(blocks[i]);
  }
}

/* The pair three times: the cursor may be at its end in one of them. */
static void count_pair(const struct calls *calls, size_t bytes, const char *allocate,
                       const char *release) {
  warm_up(calls, bytes);
  for (int i = 0; i < 3; ++i) {
    stop_before(allocate, calls->malloc);
    void *block = allocate_at_one_site(calls->malloc, bytes);
    stop_before(release, calls->free);
    calls->free(block);
  }
}

/* To another size for which the block will do, and to one for which it will not. The sizes are warm. */
static void count_resize(const struct calls *calls) {
  for (int i = 0; i < 3; ++i) {
    void *block = allocate_at_one_site(calls->malloc, 32);
    stop_before("realloc(32 to 24)", calls->realloc);
    block = calls->realloc(block, 24);
    stop_before("realloc(24 to 200)", calls->realloc);
    calls->free(calls->realloc(block, 200));
  }
}

static void count_aligned(const struct calls *calls) {
  for (int i = 0; i < 3; ++i) {
    stop_before("aligned_alloc(64, 200)", calls->aligned_alloc);
    void *block = calls->aligned_alloc(64, 200);
    stop_before("malloc_usable_size", calls->malloc_usable_size);
    if (calls->malloc_usable_size(block) < 200) exit(2);
    calls->free(block);
  }
}

/* The block is taken from memory that was never used. The cursor has more of it when three blocks came from it in a row. */
static void count_first_use(const struct calls *calls, size_t bytes, const char *allocate) {
  for (int i = 0; i < 1000; ++i) allocate_at_one_site(calls->malloc, bytes);
  char *last = allocate_at_one_site(calls->malloc, bytes);
  for (int in_a_row = 0; in_a_row < 3;) {
    char *block = allocate_at_one_site(calls->malloc, bytes);
    in_a_row = block == last + bytes ? in_a_row + 1 : 0;
    last = block;
  }
  stop_before(allocate, calls->malloc);
  if (allocate_at_one_site(calls->malloc, bytes) != last + bytes) {
    fprintf(stderr, "hot_path_calls: %s did not go on where the block before ended\n", allocate);
    exit(2);
  }
}

int main(void) {
  const struct calls calls = {
      .malloc = find("malloc"),
      .operator_new = find("_Znwm"),
      .calloc = find("calloc"),
      .realloc = find("realloc"),
      .aligned_alloc = find("aligned_alloc"),
      .malloc_usable_size = find("malloc_usable_size"),
      .free = find("free"),
      .operator_delete = find("_ZdlPv"),
  };
  count_pair(&calls, 8, "malloc(8)", "free of malloc(8)");
  count_pair(&calls, 32, "malloc(32)", "free of malloc(32)");
  count_pair(&calls, 200, "malloc(200)", "free of malloc(200)");
  count_pair(&calls, 1000, "malloc(1000)", "free of malloc(1000)");
  count_pair(&calls, 2000, "malloc(2000)", "free of malloc(2000)");
  count_resize(&calls);
  count_aligned(&calls);

  for (int i = 0; i < 60000; ++i) calls.free(allocate_zeroed_at_one_site(calls.calloc, 32));
  stop_before("calloc(1, 32)", calls.calloc);
  calls.free(allocate_zeroed_at_one_site(calls.calloc, 32));

  stop_before("operator new(32)", calls.operator_new);
  void *block = allocate_at_one_site(calls.operator_new, 32);
  stop_before("operator delete of new(32)", calls.operator_delete);
  calls.operator_delete(block);

  count_first_use(&calls, 32, "malloc(32), first use");
  return 0;
}
