// Blocks of up to eight bytes of one thread: cells of eight bytes in pages of their own.
#pragma once

#include "heap/bin.hpp"
#include "heap/open_pages.hpp"

namespace abut::heap {

class TinyHeap {
public:
  void open(LocalHeap *owner, uint32_t tag) {
    owner_ = owner;
    tag_ = tag;
    bin_.open(kTinyMax);
  }

  // ---- the owner's fast paths: no lock ----

  void *pop() {
    Block *block = bin_.head;
    if (block == nullptr) return nullptr;
    bin_.head = block->next;
    ++bin_.room;
    return block;
  }

  // Keeps a cell for the next request; false if the bin now wants to be spilled.
  bool push(Block *block) {
    block->next = bin_.head;
    written_before_linked();
    bin_.head = block;
    return --bin_.room >= 0;
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
  uint32_t tag_ = ~uint32_t{0};
  LocalHeap *owner_ = nullptr;
  OpenPages pages_{1}; // counted in cells
};

constexpr unsigned cell_in_page(Address address) {
  return static_cast<unsigned>(address % kPageBytes / kTinyMax);
}

// Whether the cell at `address`, in a tiny span, was handed out (or waits in a bin).
inline bool is_taken_cell(Segment *segment, Address address) {
  return segment->line_as<CellMap>(page_in_segment(address)).is_taken(cell_in_page(address));
}

} // namespace abut::heap
