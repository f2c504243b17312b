// Blocks of up to eight bytes of one thread: cells of eight bytes in pages of their own.
#pragma once

#include "heap/bin.hpp"
#include "heap/open_pages.hpp"

namespace abut::heap {

class TinyHeap {
public:
  // Of the process's mark those bits are used that are no address's; some must be set, and some not.
  void open(LocalHeap *owner, uint32_t tag, uintptr_t mark) {
    owner_ = owner;
    tag_ = tag;
    mark_ = (mark & ~Block::kAddressMask & ~(uintptr_t{1} << 63)) | uintptr_t{1} << 62;
    bin_.open(kTinyMax);
  }

  // ---- the owner's fast paths: no lock ----

  void *pop() {
    Block *block = bin_.head;
    if (block == nullptr) return nullptr;
    bin_.head = reinterpret_cast<Block *>(reinterpret_cast<uintptr_t>(block->next) ^ mark_);
    ++bin_.room;
    block->next = nullptr; // it does not look free any more
    return block;
  }

  // Keeps a cell for the next request; false if the bin now wants to be spilled.
  bool push(Block *block) {
    block->next = reinterpret_cast<Block *>(reinterpret_cast<uintptr_t>(bin_.head) | mark_);
    written_before_linked();
    bin_.head = block;
    return --bin_.room >= 0;
  }

  // Whether a cell may be in the bin: one in 65,000 that a program has written to looks so.
  bool looks_free(const Block *block) const {
    return (reinterpret_cast<uintptr_t>(block->next) ^ mark_) <= Block::kAddressMask;
  }

  uint32_t tag() const { return tag_; }
  const Bin &bin() const { return bin_; }

  // ---- under the heap's lock ----

  // Puts the free cells of a page into the bin, and takes one; null where memory is exhausted.
  void *refill();

  void spill();
  void close();
  void give_back(Block *block);
  void decay(unsigned most_spans) { pages_.decay(most_spans); }

private:
  static constexpr unsigned kMostCells = 64; // moved to the bin at a time

  void take_cells(const OpenPage &page);
  void give_back_chain(Block *first);

  Bin bin_;
  uintptr_t mark_ = 0;
  uint32_t tag_ = ~uint32_t{0};
  LocalHeap *owner_ = nullptr;
  OpenPages pages_{1}; // counted in cells
};

constexpr unsigned cell_in_page(Address address) {
  return static_cast<unsigned>(address % kPageBytes / kTinyMax);
}

// Whether the cell at `address`, in a tiny span, was handed out (or waits in a bin). The lines of a segment's pages are
// one array of bits, and a cell's number in the segment is its bit.
inline bool is_taken_cell(Segment *segment, Address address) {
  const auto *words = reinterpret_cast<const uint64_t *>(segment);
  const size_t cell = address % kSegmentBytes / kTinyMax;
  const uint64_t word =
      std::atomic_ref(const_cast<uint64_t &>(words[cell / 64])).load(std::memory_order_relaxed);
  return (word >> (cell % 64) & 1) != 0;
}
static_assert(offsetof(Segment, lines) == 0 && kCellsInPage == 8 * kLineBytes);

} // namespace abut::heap
