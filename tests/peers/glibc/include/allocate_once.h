#pragma once

#include <stddef.h>

static inline void *allocate_once(void **place, void *(*allocate)(void *),
                                  void (*deallocate)(void *, void *), void *closure) {
  void *known = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  if (known != NULL) return known;
  void *fresh = allocate(closure);
  if (fresh == NULL ||
      __atomic_compare_exchange_n(place, &known, fresh, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return fresh;
  deallocate(closure, fresh);
  return known;
}
