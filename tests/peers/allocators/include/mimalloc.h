/* Stands in for mimalloc's header in its tests: each function as the C library has it. Heaps of mimalloc's own, which
   no other allocator has, are blocks of the one heap here. */
#pragma once
#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MI_ALIGNMENT_MAX (1024 * 1024UL)
#define MI_DEBUG 0
#define MI_SMALL_SIZE_MAX (128 * sizeof(void *))
#define MI_MAX_ALIGN_SIZE 16
#define mi_malloc malloc
#define mi_malloc_small malloc
#define mi_calloc calloc
#define mi_realloc realloc
#define mi_reallocarray reallocarray
#define mi_reallocn reallocarray
#define mi_free free
#define mi_usable_size malloc_usable_size
#define mi_posix_memalign posix_memalign
#define mi_memalign memalign
#define mi_realpath realpath
#define mi_strdup strdup
#define mi_option_disable(option) ((void)0)
#define mi_option_enable(option) ((void)0)
#define mi_collect(force) ((void)malloc_trim(0))
#define mi_debug_show_arenas() ((void)0)
#define mi_stats_print(out) ((void)0)
#define mi_stats_reset() ((void)0)
#define mi_version() 0

static inline void *mi_zalloc(size_t size) { return calloc(1, size); }
#define mi_zalloc_small mi_zalloc
static inline void *mi_mallocn(size_t count, size_t size) {
  return reallocarray(NULL, count, size);
}
static inline void *mi_rezalloc(void *block, size_t size) {
  const size_t before = malloc_usable_size(block);
  char *grown = (char *)realloc(block, size);
  if (grown != NULL && malloc_usable_size(grown) > before)
    memset(grown + before, 0, malloc_usable_size(grown) - before);
  return grown;
}
static inline void *mi_recalloc(void *block, size_t count, size_t size) {
  size_t bytes;
  return __builtin_mul_overflow(count, size, &bytes) ? NULL : mi_rezalloc(block, bytes);
}
static inline void *mi_malloc_aligned(size_t size, size_t align) {
  void *block = NULL;
  const int error = posix_memalign(&block, align < sizeof(void *) ? sizeof(void *) : align, size);
  return error == 0 ? block : NULL;
}
static inline void *mi_malloc_aligned_at(size_t size, size_t align, size_t offset) {
  return offset % align == 0 ? mi_malloc_aligned(size, align) : NULL;
}
static inline void *mi_zalloc_aligned(size_t size, size_t align) {
  void *block = mi_malloc_aligned(size, align);
  return block == NULL ? NULL : memset(block, 0, malloc_usable_size(block));
}
static inline void *mi_calloc_aligned(size_t count, size_t size, size_t align) {
  size_t bytes;
  return __builtin_mul_overflow(count, size, &bytes) ? NULL : mi_zalloc_aligned(bytes, align);
}
static inline void *mi_realloc_aligned(void *block, size_t size, size_t align) {
  void *moved = mi_malloc_aligned(size, align);
  if (moved != NULL && block != NULL) {
    const size_t before = malloc_usable_size(block);
    memcpy(moved, block, before < size ? before : size);
    free(block);
  }
  return moved;
}
static inline void *mi_rezalloc_aligned(void *block, size_t size, size_t align) {
  const size_t before = malloc_usable_size(block);
  char *moved = (char *)mi_realloc_aligned(block, size, align);
  if (moved != NULL && malloc_usable_size(moved) > before)
    memset(moved + before, 0, malloc_usable_size(moved) - before);
  return moved;
}
static inline void *mi_recalloc_aligned(void *block, size_t count, size_t size, size_t align) {
  size_t bytes;
  return __builtin_mul_overflow(count, size, &bytes) ? NULL
                                                     : mi_rezalloc_aligned(block, bytes, align);
}

typedef int mi_heap_t;
static inline mi_heap_t *mi_heap_new(void) { return (mi_heap_t *)malloc(sizeof(mi_heap_t)); }
#define mi_heap_delete(heap) free(heap)
#define mi_heap_destroy(heap) free(heap)
#define mi_heap_malloc(heap, size) malloc(size)
#define mi_heap_malloc_tp(heap, type) ((type *)malloc(sizeof(type)))
#define mi_heap_malloc_aligned(heap, size, align) mi_malloc_aligned(size, align)
#define mi_heap_contains_block(heap, block) ((block) != NULL)

#ifdef __cplusplus
#include <memory>
template <class T>
using mi_stl_allocator = std::allocator<T>;
#endif
