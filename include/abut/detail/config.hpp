// What all containers share: checks, and errors where exceptions may be switched off.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>

// 1: iterators know their container and whether it has changed since; wrong use ends the program with a message. All
// sources of a program must agree.
#ifndef ABUT_CHECKED
#define ABUT_CHECKED 0
#endif

#if defined(__cpp_exceptions)
#define ABUT_THROW(error) throw error
#else
#define ABUT_THROW(error) ::abut::detail::fail((error).what())
#endif

namespace abut::detail {

[[noreturn]] inline void fail(const char *what) noexcept {
  std::fprintf(stderr, "abut: %s\n", what);
  std::abort();
}

inline void check(bool holds, const char *what) noexcept {
  if constexpr (ABUT_CHECKED != 0) {
    if (!holds) fail(what);
  }
}

[[noreturn]] inline void throw_out_of_range(const char *what) {
  ABUT_THROW(std::out_of_range(what));
}

// Runs an action at the end of the scope, unless it is dismissed: what an exception must undo.
template <typename Action>
class OnExit {
public:
  explicit OnExit(Action action) : action_(action) {}
  OnExit(const OnExit &) = delete;
  OnExit &operator=(const OnExit &) = delete;
  ~OnExit() {
    if (armed_) action_();
  }
  void dismiss() noexcept { armed_ = false; }

private:
  Action action_;
  bool armed_ = true;
};

} // namespace abut::detail
