// What the files for Linux share: errno is the program's.
#pragma once

#include <cerrno>

namespace abut::os {

// A caller of free() must find errno as it was; a caller of malloc() gets ENOMEM from the entry point.
class KeepErrno {
public:
  KeepErrno() : saved_(errno) {}
  ~KeepErrno() { errno = saved_; }
  KeepErrno(const KeepErrno &) = delete;
  KeepErrno &operator=(const KeepErrno &) = delete;

private:
  int saved_;
};

} // namespace abut::os
