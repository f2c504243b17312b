// An LRU memory of pages of every size at once: how many frames a memory must have for a reference to find its page.
//
// A page that was given back to the kernel leaves a placeholder in the queue (Yang et al., ISMM 2004; Vam, section 4.6):
// memories that had the page have a frame to spare, which the next page takes that must come in. Without it, a page
// below would seem to have come nearer, as though it had been read back by itself.
#pragma once

#include "sim/reuse/recency.hpp"

#include <cstdint>
#include <vector>

namespace abut::sim {

class PageLru {
public:
  // The page is new: the kernel gives a frame of zeros, and nothing is read from disk, whatever the memory's size.
  static constexpr uint32_t kZeroFilled = 0;

  // Touches a page, of numbers from 0: with so many frames, or more, it is still there.
  uint32_t reference(uint32_t page);
  // The page's content is no longer needed.
  void discard(uint32_t page);

  // Pages in use, and placeholders.
  uint32_t depth() const { return queue_.count(); }

private:
  // Both lie in one queue: pages have even numbers, placeholders odd ones.
  static uint32_t item_of_page(uint32_t page) { return 2 * page; }
  uint32_t fresh_placeholder();
  void add_placeholder(uint32_t placeholder);
  uint32_t take_top_placeholder();

  Recency queue_;
  std::vector<uint32_t> placeholders_; // a heap, with the most recent one on top
  std::vector<uint32_t> free_;         // numbers of placeholders that can be used again
  uint32_t next_placeholder_ = 1;
};

} // namespace abut::sim
