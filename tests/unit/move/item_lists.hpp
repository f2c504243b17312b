// Singly linked lists of items in a heap of cells, and vectors that hold the same.
#pragma once

#include "adcock/move/links.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

namespace adcock::move {

struct Item {
  CellId next;
  CellId previous;
  std::uint32_t value;
  std::uint32_t more;
};
using ItemLinks = IndexLinks<&Item::next>;
constexpr Geometry kBlocks{64, 256}; // 16 items a block
constexpr std::uint32_t kLists = 5;

template <typename Heap>
class Lists {
public:
  // A place in a list, the node before it, and what the list holds.
  struct Spot {
    std::uint32_t list;
    std::vector<std::uint32_t> &values;
    std::size_t place;
    CellId before;

    void insert(std::uint32_t value) { values.insert(at(), value); }
    void erase() { values.erase(at()); }
    auto at() { return values.begin() + static_cast<std::ptrdiff_t>(place); }
  };
  // Behind the last node, too, if the list is to grow.
  Spot random_spot(bool grows) {
    const auto list = static_cast<std::uint32_t>(random.below(kLists));
    auto &values = model[list];
    const std::size_t place = random.below(values.size() + (grows || values.empty() ? 1 : 0));
    CellId before = kNoCell;
    for (std::size_t i = 0; i < place; ++i) before = i == 0 ? roots[list] : heap[before].next;
    return {list, values, place, before};
  }
  CellId &link(const Spot &spot) {
    return found(spot.before) ? heap[spot.before].next : roots[spot.list];
  }
  void expect_same() const {
    std::size_t nodes = 0;
    for (std::uint32_t list = 0; list < kLists; ++list) {
      CellId cell = roots[list];
      for (const std::uint32_t value : model[list]) {
        ASSERT_TRUE(found(cell));
        ASSERT_EQ(heap[cell].value, value);
        cell = heap[cell].next;
      }
      ASSERT_FALSE(found(cell));
      nodes += model[list].size();
    }
    ASSERT_EQ(heap.nodes(), nodes);
  }

  Heap heap;
  CellId roots[kLists]{};
  std::vector<std::vector<std::uint32_t>> model{kLists};
  support::Random random{3};
};

} // namespace adcock::move
