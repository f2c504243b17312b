// Singly linked lists of items in a heap of cells, beside which a test keeps vectors.
#pragma once

#include "adcock/move/links.hpp"

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
  CellId at(std::uint32_t list, std::size_t index) const {
    CellId cell = roots[list];
    while (index-- > 0) cell = heap[cell].next;
    return cell;
  }
  void expect_same(const std::vector<std::vector<std::uint32_t>> &model) const {
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
};

} // namespace adcock::move
