// Small blocks of one thread in size order: each size has pages of its own, filled in the order of their addresses.
//
// Policy:
//   1. A size's first blocks lie in birth order (small_heap.hpp): a page of its own would cost a small heap too much.
//   2. Then the heap allocates from one page of each size, its current page. What is freed there is reused first, last
//      freed first, while it is in the cache.
//   3. When none of that is left, the page's free blocks are linked up in the order of their addresses, some at a time:
//      fresh memory and what is left between older blocks alike.
//   4. When the page has no free block any more, the next one is a page of which a part has been freed since, the one
//      that became so first; else a new one.
//   5. A page whose last block is freed goes back to the page runs, for any size, unless it is current.
#pragma once

#include "heap/size_page.hpp"

namespace abut::heap {

// Where every size begins: a page without a block.
extern constinit SizePage no_size_page;

class SizeHeap {
public:
  // Without `own_pages` all blocks lie in birth order.
  void open(LocalHeap *owner, bool own_pages);

  // ---- the owner's fast paths: no lock ----

  // A block of `size` granules from the current page's list, or null.
  void *take(size_t size) {
    SizePage *page = current_[size];
    Block *block = page->free;
    if (block == nullptr) [[unlikely]]
      return nullptr;
    page->free = block->next;
    page->set_state(reinterpret_cast<Address>(block), BlockState::live);
    return block;
  }

  // Takes back a live block of the owner's; false where release_last() is to be called, and nothing has been done.
  static bool release(SizePage *page, Block *block) {
    if (--page->frees_left == 0) [[unlikely]]
      return false;
    put(page, block);
    return true;
  }

  // Links up more blocks of the current page and takes one; null if it has none.
  void *take_next(unsigned size) {
    SizePage *page = current_[size];
    while (page->free == nullptr && page->next < page->end) link_blocks(page);
    return take(size);
  }

  bool has_pages() const { return births_left_[1] != kAlways; }

  // Whether the next block of a size that has none at hand is to lie in birth order; counts it.
  bool prefers_birth(unsigned size) {
    if (births_left_[size] == 0) return false;
    births_left_[size] -= births_left_[size] != kAlways;
    return true;
  }

  // ---- under the heap's lock, for the owner or with the owner gone ----

  // A block from a new current page; null where memory is exhausted.
  void *refill(unsigned size);

  // Takes back a block after release() refused, or one that has come back from another thread. True if the clock is to
  // be looked at.
  bool release_last(SizePage *page, Block *block);
  bool give_back(SizePage *page, Block *block) {
    --page->frees_left;
    if (page->frees_left == 0) return release_last(page, block);
    put(page, block);
    return false;
  }

  // Takes over what others sorted for an owner that did nothing.
  void absorb_strays();
  bool has_strays() const { return !stray_pages_.empty(); }

  // Has no current pages any more.
  void close();

  // ---- under the heap's lock, for any thread ----

  // A block that another thread freed, while the owner may be anywhere in its fast paths.
  void add_stray(SizePage *page, Block *block);

  // Bytes of the pages that the heap holds; for any thread.
  size_t bytes() const { return pages_.load(std::memory_order_relaxed) * kUnitBytes; }

private:
  using ByRoom = List<SizePage, &SizePage::by_room>;
  using ByStrays = List<SizePage, &SizePage::by_strays>;
  static constexpr uint8_t kAlways = 255;

  // The link before the head, the state last: once no block of a page is live, another thread may give the page back.
  static void put(SizePage *page, Block *block) {
    block->next = page->free;
    written_before_linked();
    page->free = block;
    written_before_linked();
    page->set_state(reinterpret_cast<Address>(block), BlockState::none);
  }

  static Block **link(Block **last, Address place);
  static Block **link_all(Block *&first, Address place, size_t count, size_t bytes);
  static void link_blocks(SizePage *page);
  SizePage *add_page(unsigned size);
  void enter(SizePage *page);
  void leave(SizePage *page, uint32_t live);
  void file(SizePage *page, uint32_t live);
  void unfile(SizePage *page);
  void give_back_page(SizePage *page);

  SizePage *current_[kSmallClasses + 1];
  uint8_t births_left_[kSmallClasses + 1] = {};
  uint8_t doublings_[kSmallClasses + 1] = {}; // of what is linked at a time
  LocalHeap *owner_ = nullptr;
  ByRoom by_room_[kSmallClasses + 1];
  ByStrays stray_pages_;
  std::atomic<size_t> pages_{0};

public:
  constexpr SizeHeap() {
    for (SizePage *&page : current_) page = &no_size_page;
  }
};

} // namespace abut::heap
