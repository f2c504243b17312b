// Statistics: what has been asked of a heap, and how much it held at most.
#pragma once

#include "allocators/layers/concepts.hpp"

#include <algorithm>

namespace abut::layers {

struct Counts {
  uint64_t allocations = 0;
  uint64_t releases = 0;
  uint64_t requested = 0; // bytes, of all requests
  uint64_t refusals = 0;  // requests for which there was no memory
  size_t live_bytes = 0;  // of blocks that are in use, with what their classes add
  size_t most_live_bytes = 0;

  uint64_t live_blocks() const { return allocations - releases; }
};

template <Heap Below>
class Counted {
public:
  explicit Counted(Grain grain) : below_(grain) {}

  void *allocate(size_t bytes, size_t align) {
    void *block = below_.allocate(bytes, align);
    if (block == nullptr) {
      ++counts_.refusals;
      return nullptr;
    }
    ++counts_.allocations;
    counts_.requested += bytes;
    counts_.live_bytes += below_.usable(block);
    counts_.most_live_bytes = std::max(counts_.most_live_bytes, counts_.live_bytes);
    return block;
  }

  Release release(void *block) {
    const size_t bytes = below_.usable(block);
    const Release result = below_.release(block);
    if (result != Release::done) return result;
    ++counts_.releases;
    counts_.live_bytes -= bytes;
    return result;
  }

  size_t usable(const void *block) { return below_.usable(block); }

  const Counts &counts() const { return counts_; }

private:
  Below below_;
  Counts counts_;
};

} // namespace abut::layers
