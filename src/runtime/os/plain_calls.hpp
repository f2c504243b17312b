// What the files for Linux share: files by system calls that are no cancellation points.
//
// The C library's open, read, write and close are: a thread that is to end would end there, in the midst of malloc, with
// a lock held or a file left open.
#pragma once

#include <cstddef>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

namespace abut::os {

inline int plain_open(const char *path, int flags, unsigned mode = 0) {
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode));
}

inline ssize_t plain_read(int file, void *buffer, size_t most) {
  return syscall(SYS_read, file, buffer, most);
}

inline ssize_t plain_write(int file, const void *bytes, size_t count) {
  return syscall(SYS_write, file, bytes, count);
}

inline void plain_close(int file) { syscall(SYS_close, file); }

} // namespace abut::os
