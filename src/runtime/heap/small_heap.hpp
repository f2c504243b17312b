// Small blocks of one thread: all sizes side by side in the order of their birth, without headers.
//
// A cursor runs through a hole of a page; every request takes the next granules of the hole, whatever its
// size, so what is allocated together lies on the same lines and pages. Freed blocks wait in a bin of their
// exact size; what a bin cannot hold goes back to the page's map, where it joins the holes beside it. When the
// hole is used up the cursor goes on to the next hole of the page, then to a page with room for the request
// (reaps of mixed sizes: after Feng and Berger 2005, section 3.4), then to a fresh page.
#pragma once

#include "heap/hole_cursor.hpp"

namespace abut::heap {

class SmallHeap {
public:
  void open(LocalHeap *owner, uint32_t tag, uintptr_t mark);

  static size_t class_of(size_t bytes) { return (bytes + Granules::kBytes - 1) / Granules::kBytes; }

  // ---- the owner's fast paths: no lock ----

  // A block that waits in the bin of class `size`, or null.
  void *pop(unsigned size) {
    Bin &bin = bins_[size];
    Block *block = bin.head;
    if (block == nullptr) [[unlikely]]
      return nullptr;
    bin.head = block->next;
    ++bin.room;
    block->mark = 0;
    return block;
  }

  // The next granules of the hole, or null if they do not suffice.
  void *bump(unsigned size) { return cursor_.bump(size); }

  // Keeps a block for the next request; false if its bin now wants to be spilled.
  bool push(Block *block, unsigned size) { return push(block, size, mark_); }

  // The same where the heap's mark is at hand.
  bool push(Block *block, unsigned size, uintptr_t mark) {
    Bin &bin = bins_[size];
    block->next = bin.head;
    block->mark = mark;
    written_before_linked();
    bin.head = block;
    return --bin.room >= 0;
  }

  // Counts a free that a bin takes; true once in so many. Such frees are the only ones that a program makes that lives
  // on its bins, and somebody has to look at the clock for it.
  bool count_free() { return --frees_to_look_ == 0; }
  void count_frees_anew() { frees_to_look_ = kFreesToLook; }

  bool looks_free(const Block *block) const { return block->mark == mark_; }
  uint32_t tag() const { return tag_; }
  uintptr_t mark() const { return mark_; }
  const Bin &bin(unsigned size) const { return bins_[size]; }

  bool extend_latest(Address block, unsigned old_size, unsigned size) {
    return cursor_.extend_latest(block, old_size, size);
  }

  // Whether the owner may be writing to this page's map without the lock.
  bool fills(Address address) const { return cursor_.fills(address); }

  // The same as bump(), from whatever hole of the page is long enough; null if there is none.
  void *bump_in_page(unsigned size) { return cursor_.seek(size) ? cursor_.bump(size) : nullptr; }

  // ---- under the heap's lock ----

  // Keeps a block that came back from another thread in its bin; false if that is full.
  bool keep(Block *block);

  // Finds a page for `size` and takes it from there; null where memory is exhausted.
  void *refill(unsigned size);

  // A block at a multiple of `align` (a power of two, at most a line).
  void *allocate_aligned(unsigned size, size_t align);

  // Gives the older half of an overfull bin back to the maps.
  void spill(unsigned size);

  // Gives the older half of every bin back, so that what a thread no longer needs does not wait for ever.
  void thin_bins();

  // Gives everything back that waits in bins or that the cursors hold.
  void close();

  // Mends what a fork copied while the owner was in a fast path. Only in the child, with the owner gone.
  void mend_after_fork();

  // Gives one block back to its page's map.
  void give_back(Block *block);

  // ---- for layers above, which place blocks themselves; under the heap's lock ----

  // An empty page cut into blocks of `size` granules, all of them the caller's from now on; none where memory is
  // exhausted. `note` is kept with the page for as long as it holds a block.
  Address cut_page(unsigned size, uint8_t note);

  // A block in a hole of the page that `beside` lies in, as close to it as there is room; null if there is none.
  void *take_beside(Address beside, unsigned size);

  void decay(unsigned most_spans) { pages_.decay(most_spans); }

  // Bytes of the spans that the heap holds.
  size_t span_bytes() const { return pages_.span_bytes(); }

  // Where the next fresh block will lie, more or less.
  Address front() const { return cursor_.next(); }

private:
  static constexpr uint32_t kFreesToLook = 256;

  void put(const OpenPage &page);
  void leave_page();
  void gather(const OpenPage &page, unsigned size);
  Block *gather(unsigned size);
  bool begin_page(unsigned size);
  OpenPage take_empty_page();
  void give_back_chain(Block *first);

  // The hot fields first: a request touches the cursor's line and its bin's.
  HoleCursor cursor_;
  uintptr_t mark_ = 0;
  uint32_t tag_ = ~uint32_t{0};
  uint32_t frees_to_look_ = kFreesToLook;
  Bin bins_[kSmallClasses + 1];

  LocalHeap *owner_ = nullptr;

  // Visits to pages with less than a sixteenth free cost more than they find.
  OpenPages pages_{kGranulesInPage / 16};
};

} // namespace abut::heap
