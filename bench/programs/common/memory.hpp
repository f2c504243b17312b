// Allocation for the programs written in the C manner: malloc that ends the program, with a
// reason, where memory runs out. Inlined, so that each caller stays an allocation site of its own.
#pragma once

#include "abut/staticmalloc.h"

#include <cstdio>
#include <cstdlib>

namespace bench {

[[noreturn]] inline void out_of_memory(std::size_t size) {
  std::fprintf(stderr, "no memory for a block of %zu bytes; choose smaller sizes (see --help)\n",
               size);
  std::exit(1);
}

[[gnu::always_inline]] inline void *allocate_bytes(std::size_t size) {
  void *block = std::malloc(size);
  if (block == nullptr) [[unlikely]]
    out_of_memory(size);
  return block;
}

template <typename T>
[[gnu::always_inline]] inline T *allocate() {
  return static_cast<T *>(allocate_bytes(sizeof(T)));
}

// Whether requests name a friend, as in Cyll's annotated programs: only abut's heap hears of it.
inline bool hints = false;

// Whether ping() says what is used, as there; asked once a walk, so that walks without it cost nothing.
inline bool pings = false;

// `other` may be null.
[[gnu::always_inline]] inline void *allocate_bytes_near(std::size_t size, const void *other) {
  if (!hints) return allocate_bytes(size);
  void *block = ccmalloc(size, other);
  if (block == nullptr) [[unlikely]]
    out_of_memory(size);
  return block;
}

template <typename T>
[[gnu::always_inline]] inline T *allocate_array(std::size_t count) {
  // The check suspects every array of pointers.
  return static_cast<T *>(allocate_bytes(count * sizeof(T))); // NOLINT(bugprone-sizeof-expression)
}

} // namespace bench
