/* abut: a cache-conscious heap. What a program may ask of it beyond malloc and free.
 *
 * Link with -labut, or run under `abut run` (LD_PRELOAD). All functions are safe in any thread.
 */
#ifndef ABUT_ABUT_H
#define ABUT_ABUT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The library's version, such as "0.1.0". */
const char *abut_version(void);

/* One option of the heap: set through the environment variable ABUT_<NAME>, in capitals. */
struct abut_option {
  const char *name;     /* lower case */
  const char *kind;     /* "number", "choice" or "path" */
  const char *standard; /* the value when it is not set */
  const char *range;    /* "0..100", "never|auto", or "" */
  const char *help;
};

int abut_option_count(void);

/* Option `i`, 0 <= i < abut_option_count(); null outside. The texts are valid as long as the library. */
const struct abut_option *abut_option_at(int i);

/* Like malloc and calloc, with a hint: the new block will be used together with `other`, which is null or any address
 * inside a live block. Up to 256 bytes come to lie on the same line as `other`, else on its page, else where the next
 * ones for it will: as there is room. `abut record` keeps such hints. */
void *abut_malloc_near(size_t bytes, const void *other);
void *abut_calloc_near(size_t count, size_t bytes, const void *other);

/* Says that the block at this address is of use now, `weight` times as much as usual. For `abut record` alone: else it
 * does nothing. */
void abut_touch(const void *address, unsigned weight);

/* Follows the plan of this run, if there is one, no further: objects from here on lie where the heap puts them. */
void abut_plan_stop(void);

/* Gives back to the kernel what can be given back, in all threads' heaps. Returns the bytes given back. */
size_t abut_trim(void);

/* Writes the heap's statistics as one JSON object to a file descriptor, without allocating.
 * Returns 0, or -1 where writing failed. The object's "schema" tells the version of its layout. */
int abut_stats_print(int fd);

#ifdef __cplusplus
}
#endif

#endif
