// Checks that only debug builds make, and those with ADCOCK_MOVE_CHECKS; all parts of a program must agree.
#pragma once

#include "levels.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace adcock::move {

#if defined(NDEBUG) && !defined(ADCOCK_MOVE_CHECKS)
inline constexpr bool kChecks = false;
#else
inline constexpr bool kChecks = true;
#endif

// Ends the program where what must hold does not.
inline void require(bool holds, const char *what) {
  if (holds) return;
  std::fprintf(stderr, "adcock::move: %s\n", what);
  std::abort();
}

// Overwrites a node that has gone, so that who still looks at it notices.
inline void poison(void *node, std::size_t bytes) {
  if constexpr (kChecks) std::memset(node, 0xdb, bytes);
}

// What stands for a part that is left out.
struct Nothing {};

} // namespace adcock::move
