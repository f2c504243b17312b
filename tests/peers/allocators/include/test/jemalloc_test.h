/* Stands in for the header of the same name in jemalloc's tests: its checks, and its own functions beyond malloc's,
   each as the standard's functions say it. What only jemalloc has (arenas, extents) is not here. */
#pragma once
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LG_SIZEOF_PTR 3
#define LG_SIZEOF_INT 2
#define SIZE_T_MAX SIZE_MAX
#define BUFERROR_BUF 64
#define ZU(number) ((size_t)(number))
#define FMTx64 "lx"
#define JEMALLOC_DIAGNOSTIC_PUSH
#define JEMALLOC_DIAGNOSTIC_POP
#define JEMALLOC_DIAGNOSTIC_IGNORE_ALLOC_SIZE_LARGER_THAN
#define TEST_MALLOC_SIZE malloc_usable_size
#define get_errno() errno
#define set_errno(value) (errno = (value))
#define buferror(error, text, size) snprintf(text, size, "error %d", error)
#define malloc_printf printf

static const bool config_debug = false, config_fill = false, config_prof = false;

enum { test_status_pass, test_status_skip, test_status_fail };
typedef void(test_t)(void);
static int test_failures;
static const char *test_name;

#define TEST_BEGIN(name)                                                                           \
  static void name(void) {                                                                         \
    test_name = #name;
#define TEST_END                                                                                   \
  goto label_test_end;                                                                             \
  label_test_end:;                                                                                 \
  }
#define test_skip(...) printf("%s: skipped\n", test_name)
#define test_skip_if(condition)                                                                    \
  do                                                                                               \
    if (condition) {                                                                               \
      test_skip("");                                                                               \
      goto label_test_end;                                                                         \
    }                                                                                              \
  while (0)
#define test_fail(...)                                                                             \
  (++test_failures, printf("%s:%d: ", test_name, __LINE__), printf(__VA_ARGS__), printf("\n"))

#define CHECK_THAT(condition, ...)                                                                 \
  do                                                                                               \
    if (!(condition)) test_fail(__VA_ARGS__);                                                      \
  while (0)
#define expect_d_eq(a, b, ...) CHECK_THAT((a) == (b), __VA_ARGS__)
#define expect_d_ne(a, b, ...) CHECK_THAT((a) != (b), __VA_ARGS__)
#define expect_u_eq expect_d_eq
#define expect_u_ne expect_d_ne
#define expect_c_eq expect_d_eq
#define expect_zu_eq expect_d_eq
#define expect_zu_ne expect_d_ne
#define expect_zu_lt(a, b, ...) CHECK_THAT((a) < (b), __VA_ARGS__)
#define expect_zu_le(a, b, ...) CHECK_THAT((a) <= (b), __VA_ARGS__)
#define expect_zu_gt(a, b, ...) CHECK_THAT((a) > (b), __VA_ARGS__)
#define expect_zu_ge(a, b, ...) CHECK_THAT((a) >= (b), __VA_ARGS__)
#define expect_ptr_eq expect_d_eq
#define expect_ptr_ne expect_d_ne
#define expect_ptr_null(a, ...) CHECK_THAT((a) == NULL, __VA_ARGS__)
#define expect_ptr_not_null(a, ...) CHECK_THAT((a) != NULL, __VA_ARGS__)
#define assert_ptr_not_null expect_ptr_not_null
#define assert_zu_eq expect_d_eq
#define assert_d_eq expect_d_eq
#define expect_true(a, ...) CHECK_THAT(a, __VA_ARGS__)
#define expect_false(a, ...) CHECK_THAT(!(a), __VA_ARGS__)
#define assert_false expect_false
#define assert(condition) CHECK_THAT(condition, "%s", #condition)

static inline int run_tests(test_t *first, ...) {
  va_list rest;
  va_start(rest, first);
  for (test_t *test = first; test != NULL; test = va_arg(rest, test_t *)) {
    const int before = test_failures;
    test();
    printf("%s: %s\n", test_name, test_failures == before ? "pass" : "FAIL");
  }
  va_end(rest);
  return test_failures == 0 ? 0 : 1;
}
#define test(...) run_tests(__VA_ARGS__, NULL)
#define test_no_reentrancy test

/* jemalloc's functions with flags: the low six bits are the alignment's logarithm, the next asks for zeros. */
#define MALLOCX_LG_ALIGN(bits) ((int)(bits))
#define MALLOCX_ALIGN(bytes) ((int)__builtin_ctzll((unsigned long long)(bytes)))
#define MALLOCX_ZERO 0x40
#define MALLOCX_TCACHE_NONE 0
#define MALLOCX_ARENA(number) 0
#define MALLOCX_LG_ALIGN_MASK 0x3f

static inline void *mallocx(size_t size, int flags) {
  const size_t align = (size_t)1 << (flags & MALLOCX_LG_ALIGN_MASK);
  void *block = NULL;
  if (align <= 16) return flags & MALLOCX_ZERO ? calloc(1, size) : malloc(size);
  if (posix_memalign(&block, align, size) != 0) return NULL;
  if (flags & MALLOCX_ZERO) memset(block, 0, malloc_usable_size(block));
  return block;
}
static inline size_t sallocx(const void *block, int flags) {
  (void)flags;
  return malloc_usable_size((void *)block);
}
static inline size_t nallocx(size_t size, int flags) {
  void *block = mallocx(size, flags);
  const size_t usable = block == NULL ? 0 : malloc_usable_size(block);
  free(block);
  return usable;
}
static inline void dallocx(void *block, int flags) {
  (void)flags;
  free(block);
}
static inline void sdallocx(void *block, size_t size, int flags) {
  (void)size;
  dallocx(block, flags);
}
static inline void *rallocx(void *block, size_t size, int flags) {
  const size_t before = malloc_usable_size(block);
  const bool aligns = (flags & MALLOCX_LG_ALIGN_MASK) > 4;
  void *grown = aligns ? mallocx(size, flags) : realloc(block, size);
  if (grown == NULL) return NULL;
  if (aligns) {
    memcpy(grown, block, before < size ? before : size);
    free(block);
  }
  const size_t after = malloc_usable_size(grown);
  if (flags & MALLOCX_ZERO && after > before) memset((char *)grown + before, 0, after - before);
  return grown;
}
/* The largest size is the only thing of jemalloc's settings that the tests here use. */
static inline int mallctl(const char *name, void *value, size_t *bytes, void *fresh,
                          size_t fresh_bytes) {
  (void)name, (void)fresh, (void)fresh_bytes;
  if (value != NULL && *bytes == sizeof(unsigned)) *(unsigned *)value = 1;
  return 0;
}
static inline int mallctlnametomib(const char *name, size_t *mib, size_t *length) {
  (void)name, (void)mib, (void)length;
  return 0;
}
static inline int mallctlbymib(const size_t *mib, size_t length, void *value, size_t *bytes,
                               void *fresh, size_t fresh_bytes) {
  (void)mib, (void)length, (void)bytes, (void)fresh, (void)fresh_bytes;
  if (value != NULL) *(size_t *)value = PTRDIFF_MAX;
  return 0;
}
