// Checks that only debug builds make. ADCOCK_MOVE_CHECKS=0 or 1 decides otherwise; all parts of a program must agree.
#pragma once

#include "levels.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

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

// How many nodes each cell has had; empty where checks are off.
class Generations {
public:
  void grow_to(std::size_t cells) {
    if constexpr (kChecks)
      if (cells > counts_.size()) counts_.resize(cells);
  }
  void bump(std::uint32_t cell) {
    if constexpr (kChecks) ++counts_[cell];
  }
  std::uint32_t of(std::uint32_t cell) const {
    if constexpr (kChecks) return counts_[cell];
    return 0;
  }

private:
  std::vector<std::uint32_t> counts_;
};

// Overwrites a node that has gone, so that who still looks at it notices.
inline void poison(void *node, std::size_t bytes) {
  if constexpr (kChecks) std::memset(node, 0xdb, bytes);
}

// A node named from outside, checked: in debug builds to look at it after it was moved or freed ends the program.
template <typename Heap>
class Ref {
public:
  Ref() = default;
  Ref(const Heap &heap, CellId cell) : cell_(cell) {
    if constexpr (kChecks) generation_ = heap.generation(cell);
  }
  auto &in(Heap &heap) const { return heap[checked(heap)]; }
  CellId checked(const Heap &heap) const {
    if constexpr (kChecks)
      require(heap.in_use(cell_) && heap.generation(cell_) == generation_,
              "a reference to a node that has been moved or freed");
    return cell_;
  }

private:
  CellId cell_ = kNoCell;
  std::uint32_t generation_ = 0;
};

// What stands for a part that is left out; the number keeps several of them apart, so that none takes room.
template <int>
struct Nothing {};

} // namespace adcock::move
