// A block with the key of its contents: what the stress tests pass about and check.
#pragma once

#include "support/pattern.hpp"

#include <cstdint>
#include <cstdlib>

namespace stress {

struct Block {
  void *start = nullptr;
  std::size_t size = 0;
  std::uint64_t key = 0;

  // Null start when the heap refuses.
  [[nodiscard]] static Block make(std::size_t size, std::uint64_t key) {
    Block block{std::malloc(size), size, key};
    if (block.start != nullptr) support::fill(block.start, size, key);
    return block;
  }

  [[nodiscard]] bool intact() const { return start != nullptr && support::holds(start, size, key); }

  void release() {
    std::free(start);
    start = nullptr;
  }
};

} // namespace stress
