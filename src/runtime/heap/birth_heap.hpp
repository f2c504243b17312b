// Blocks of one heap in birth order: all sizes side by side in the order in which they are allocated.
//
// A cursor passes through the holes of a page; every request takes the next granules of the hole, whatever its size, so
// that what is allocated together lies on the same lines (reaps of mixed sizes: after Feng and Berger 2005, section 3.4).
// A hole that is too small is passed over. The windows, and which page is next, are as in size order (size_heap.hpp).
#pragma once

#include "heap/birth_page.hpp"

namespace abut::heap {

class BirthHeap {
public:
  void open(LocalHeap *owner) { owner_ = owner; }

  // ---- the owner's fast paths: no lock ----

  // So many granules at the cursor; or null.
  [[gnu::always_inline]] void *take(uint32_t granules) {
    const size_t bytes = granules * Granules::kBytes;
    if (end_ - next_ < bytes) [[unlikely]]
      return nullptr;
    const Address block = next_;
    next_ = block + bytes;
    next_cell_ = cell_at(next_);
    store_released(*cell_at(block), static_cast<Cell>(granules));
    return reinterpret_cast<void *>(block);
  }

  // A block of `bytes`, as many as a size class has, where the heap's of that class come here; else null.
  [[gnu::always_inline]] void *take_small(size_t bytes) {
    if (bytes > kBirthOrderMax) return nullptr;
    const Address block = next_;
    const Address after = block + bytes;
    if (after >= limit_) [[unlikely]]
      return nullptr;
    if (block == 0) __builtin_unreachable();
    const size_t granules = bytes / Granules::kBytes;
    next_ = after;
    Cell *cell = next_cell_;
    next_cell_ = cell + granules;
    store_released(*cell, static_cast<Cell>(granules));
    return reinterpret_cast<void *>(block);
  }

  // The same for 1 to kBirthMax bytes, in the next hole of the current page, too; or null, as it is now and then in any case,
  // so that the owner looks at the clock.
  [[gnu::noinline]] void *take_next(uint32_t granules) {
    if (void *block = take(granules)) return block;
    return ++visits_ % kVisitsToLook != 0 && advance(granules) ? take(granules) : nullptr;
  }

  // Moves the cursor to the next hole of the current page that is long enough; false if that has none.
  bool advance(uint32_t granules);

  // Makes a block of the heap's longer or shorter where it lies; false if there is no room.
  bool resize(const BirthBlock &block, Address address, uint32_t granules);

  // ---- under the heap's lock ----

  bool refill(uint32_t granules);
  void close();
  void free_last(const BirthBlock &block); // after free_block() refused
  void recount(uint64_t most);

  size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  uint32_t sweeps() const { return sweeps_; }

  // Where the next fresh block will lie, more or less.
  Address front() const { return next_; }

  // ---- for layers above, which place blocks themselves; under the heap's lock ----

  // A stretch of 4 KiB without a block, cut into cells of so many granules that are set aside, which are the caller's, as is what
  // the label says; its address, or zero where memory is exhausted.
  Address cut_stretch(uint32_t granules, uint8_t label);

  // A block in a hole of the stretch that `beside` lies in, as close behind it as there is room; null if there is none, or
  // the page is not known to have room.
  void *take_beside(Address beside, uint32_t granules);

  // A reserved cell of the heap's is free, for any request.
  void give_up_cell(Address cell);

private:
  static constexpr uint32_t kVisitsToLook = 64;
  using ByRoom = List<Page, &Page::link>;

  void set_hole(Address begin, Address end);
  bool sweep(uint32_t granules);
  bool turn();
  void begin_pass();
  Page *add_page();
  void retire(Page *page);
  void enter(Page *page);
  void leave();
  void file(Page *page, uint32_t live);
  void file_counted(Page *page, uint32_t live);
  uint32_t live_now() const;
  void give_back_page(Page *page);
  void look_again(ByRoom &pages, uint64_t &left);
  Page *page_with_room(uint32_t granules);

  Address next_ = 0;          // of the hole
  Cell *next_cell_ = nullptr; // its first granule's
  Address end_ = 0;
  Address limit_ = 0;   // one more where the heap is in birth order, else zero
  uint32_t at_ = 0;     // granule to go on with
  uint32_t window_ = 0; // granule where the window ends
  uint32_t step_ = 0;   // granules that it grows by
  int32_t live_ =
      0; // granules of the page, with the hole, when the pass began, and what was taken since
  Page *page_ = nullptr;
  Page *cut_page_ = nullptr; // whose stretches are cut into cells
  ByRoom with_room_, full_;
  LocalHeap *owner_ = nullptr;
  uint32_t sweeps_ = 0;
  uint32_t visits_ = 0;
  std::atomic<size_t> bytes_{0};
};

} // namespace abut::heap
