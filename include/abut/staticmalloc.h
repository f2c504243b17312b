/* The names of two papers for what abut.h and trace_marks.h offer, so that programs annotated for them need no change:
 * libstaticmalloc's (Cyll, Cache-Conscious Memory Allocation, 2004, section 3.2) and, of those, ccmalloc, which is
 * Chilimbi, Hill and Larus's. Nothing is to be linked: under libabut.so hints reach it, else they are plain requests.
 */
#ifndef ABUT_STATICMALLOC_H
#define ABUT_STATICMALLOC_H

#include "abut/trace_marks.h"

#include <stddef.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((weak)) void *abut_malloc_near(size_t bytes, const void *other);
__attribute__((weak)) void *abut_calloc_near(size_t count, size_t bytes, const void *other);
__attribute__((weak)) void abut_touch(const void *address, unsigned weight);
__attribute__((weak)) void abut_plan_stop(void);
__attribute__((weak)) int abut_stats_print(int fd);

/* Plans know the program by its build-id: the name is not needed. */
static inline void malloc_init(const char *name) { (void)name; }

/* Prints the heap's statistics to standard error, as JSON. */
static inline void malloc_status(void) {
  if (abut_stats_print) abut_stats_print(2);
}

/* While a run is recorded: accesses are recorded no more. While a plan is followed: it is no more. His ended the program
 * in the first case; ours goes on. */
static inline void malloc_done_logging(void) {
  abut_trace_stop();
  if (abut_plan_stop) abut_plan_stop();
}

/* Says that the block at `address` is used now, `weight` times as much as usual. */
static inline void ping(const void *address, unsigned weight) {
  if (abut_touch) abut_touch(address, weight);
}

/* As malloc and calloc; the block will be used together with `friend_block`, which may be null. */
static inline void *ccmalloc(size_t bytes, const void *friend_block) {
  return abut_malloc_near ? abut_malloc_near(bytes, friend_block) : malloc(bytes);
}
static inline void *cccalloc(size_t count, size_t bytes, const void *friend_block) {
  return abut_calloc_near ? abut_calloc_near(count, bytes, friend_block) : calloc(count, bytes);
}

#ifdef __cplusplus
}
#endif

#endif
