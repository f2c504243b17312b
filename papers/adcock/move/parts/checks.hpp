// Checks that only debug builds make. ADCOCK_MOVE_CHECKS=0 or 1 decides otherwise; all parts of a program must agree.
#pragma once

#include "levels.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifndef ADCOCK_MOVE_CHECKS
#ifdef NDEBUG
#define ADCOCK_MOVE_CHECKS 0
#else
#define ADCOCK_MOVE_CHECKS 1
#endif
#endif

namespace adcock::move {

inline constexpr bool kChecks = ADCOCK_MOVE_CHECKS != 0;

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
