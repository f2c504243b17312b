// Whether the process has, as far as the system knows, never had a second thread: by one load.
#pragma once

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

// Since glibc 2.32: zero from the first thread's creation on. Weak, for older ones.
// NOLINTNEXTLINE(readability-redundant-declaration)
extern "C" __attribute__((weak)) char __libc_single_threaded;

namespace abut::os {

inline bool has_one_thread() {
  return &__libc_single_threaded != nullptr && __libc_single_threaded != 0;
}

// Where that stands, for those who ask so often that finding it counts.
inline constexpr char kNotAlone = 0;
inline const char *one_thread_flag() {
  return &__libc_single_threaded != nullptr ? &__libc_single_threaded : &kNotAlone;
}

} // namespace abut::os
