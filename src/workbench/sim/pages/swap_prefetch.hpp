// What the kernel reads ahead from swap (Vam, section 4.6): a miss reads the aligned group of 8 pages around it; what
// came along waits among the last 256 such pages, and a miss that finds its page there cost no wait for the disk.
//
// As there, pages lie on the disk as they lie in the address space.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>

namespace abut::sim {

struct SwapReadAhead {
  size_t buffer_pages = 256;
  size_t group_pages = 8; // a power of two
};

class SwapPrefetch {
public:
  explicit SwapPrefetch(SwapReadAhead settings = {}) : settings_(settings) {}

  // A miss of the page, by its place in the address space: whether it had been read already.
  bool miss(uint64_t page);

private:
  void put(uint64_t page);

  SwapReadAhead settings_;
  std::list<uint64_t> order_; // the oldest first
  std::unordered_map<uint64_t, std::list<uint64_t>::iterator> buffer_;
};

} // namespace abut::sim
