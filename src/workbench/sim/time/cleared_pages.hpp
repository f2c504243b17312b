// Pages of which the kernel has just made memory: it cleared them, so their lines are in the caches before the program
// uses them. A page is new when the first block in it is allocated.
#pragma once

#include "sim/reference.hpp"
#include "trace/hash_map.hpp"

#include <algorithm>
#include <iterator>

namespace abut::sim {

class ClearedPages {
public:
  void take(const MemoryEvent &event) {
    switch (event.kind) {
    case MemoryEvent::Kind::allocated: allocate(event); break;
    case MemoryEvent::Kind::discarded: discard(event); break;
    // What became of the pages in the meantime is not known.
    case MemoryEvent::Kind::unrecorded:
      for (auto page = pages_.begin(); page != pages_.end(); ++page) page.value() = 0;
      break;
    }
  }

  // Whether the line is a cleared one that was not asked for yet. From now on it was.
  bool use(uint64_t line) {
    const auto page = pages_.find(line / kLines);
    const uint64_t bit = uint64_t{1} << line % kLines;
    if (page == pages_.end() || (page->second & bit) == 0) return false;
    page.value() &= ~bit;
    return true;
  }

private:
  static constexpr uint64_t kLines = kPageBytes / 64;
  static constexpr uint64_t kMostPages = 1 << 14; // of a block; a size may be made up

  void allocate(const MemoryEvent &block) {
    const uint64_t address = block.address & kAddressMask;
    const uint64_t first = address / kPageBytes;
    const uint64_t last = (address + std::max<uint64_t>(block.bytes, 1) - 1) / kPageBytes;
    if (first == last && first == last_) return;
    for (uint64_t page = first; page <= last && page - first < kMostPages; ++page)
      pages_.try_emplace(page, ~uint64_t{0});
    last_ = first;
  }

  void discard(const MemoryEvent &range) {
    const uint64_t first = (range.address + kPageBytes - 1) / kPageBytes;
    const uint64_t end = (range.address + range.bytes) / kPageBytes;
    last_ = ~uint64_t{0};
    if (end > first && end - first < pages_.size())
      for (uint64_t page = first; page != end; ++page) pages_.erase(page);
    else
      for (auto page = pages_.begin(); page != pages_.end();)
        page = page->first >= first && page->first < end ? pages_.erase(page) : std::next(page);
  }

  trace::NumberMap<uint64_t> pages_; // of each, a bit a line: cleared, and not asked for
  uint64_t last_ = ~uint64_t{0};     // where the last block began
};

} // namespace abut::sim
