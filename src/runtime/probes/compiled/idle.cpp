// libabut_rt: what programs of `abut cc` and `abut c++` are linked with. Run by itself, such a program does at each access
// a call of nothing; under `abut record --recorder compiled`, another library comes first and records.
#include "probes/compiled/atomics.hpp"
#include "probes/compiled/entry_points.hpp"

#include <cstddef>
#include <cstring>

#define ABUT_ATOMIC(at, bytes, reads, writes) static_cast<void>(at)
#define ABUT_ACCESS(name, bytes, writes)                                                           \
  ABUT_RT void name(void *) {}
#define ABUT_ACCESS_TWICE(name, bytes)                                                             \
  ABUT_RT void name(void *) {}
#define ABUT_ACCESS_AT(name, bytes, writes)                                                        \
  ABUT_RT void name(void *, void *) {}
#define ABUT_VPTR_UPDATE(name)                                                                     \
  ABUT_RT void name(void **, void *) {}
#define ABUT_RANGE(name, writes)                                                                   \
  ABUT_RT void name(void *, unsigned long) {}
#define ABUT_RANGE_AT(name, writes)                                                                \
  ABUT_RT void name(void *, unsigned long, void *) {}

// The names are the compilers' and the linker's choice.
// NOLINTBEGIN(bugprone-reserved-identifier)
ABUT_ALL_ACCESSES
ABUT_ALL_OTHERS
ABUT_ALL_ATOMICS

// What the linker puts in the place of the C library's, in programs of `abut cc` alone.
ABUT_RT void *__wrap_memcpy(void *to, const void *from, size_t bytes) {
  return std::memcpy(to, from, bytes);
}
ABUT_RT void *__wrap_memmove(void *to, const void *from, size_t bytes) {
  return std::memmove(to, from, bytes);
}
ABUT_RT void *__wrap_memset(void *to, int value, size_t bytes) {
  return std::memset(to, value, bytes);
}
ABUT_RT void *__tsan_memcpy(void *to, const void *from, size_t bytes) {
  return std::memcpy(to, from, bytes);
}
ABUT_RT void *__tsan_memmove(void *to, const void *from, size_t bytes) {
  return std::memmove(to, from, bytes);
}
ABUT_RT void *__tsan_memset(void *to, int value, size_t bytes) {
  return std::memset(to, value, bytes);
}
// NOLINTEND(bugprone-reserved-identifier)
