// Medium blocks of one thread: 64-byte granules in spans of 128 KiB, best fit, coalesced by their maps.
//
// A block whose size is a multiple of half a page gets one line more, so that equal blocks in a row do not all
// begin in the same cache set.
#pragma once

#include "heap/bin.hpp"
#include "heap/page_runs.hpp"

namespace abut::heap {

class MediumHeap {
public:
  void open(LocalHeap *owner, uint32_t tag, uintptr_t mark);

  // The granules that a block of `bytes` gets.
  static unsigned granules_for(size_t bytes) {
    return MediumGranules::holding(bytes).n + (bytes % (kPageBytes / 2) == 0);
  }

  static bool has_bin(unsigned size) { return size <= kBinMost; }

  // ---- the owner's fast paths: no lock; for sizes that have a bin ----

  void *pop(unsigned size) {
    Bin &bin = bins_[size];
    Block *block = bin.head;
    if (block == nullptr) return nullptr;
    bin.head = block->next;
    ++bin.room;
    block->mark = 0;
    return block;
  }

  bool push(Block *block, unsigned size) {
    Bin &bin = bins_[size];
    block->next = bin.head;
    block->mark = mark_;
    written_before_linked();
    bin.head = block;
    return --bin.room >= 0;
  }

  bool looks_free(const Block *block) const { return block->mark == mark_; }
  uint32_t tag() const { return tag_; }
  const Bin &bin(unsigned size) const { return bins_[size]; }
  static constexpr unsigned bins() { return kBinMost; }

  // ---- under the heap's lock ----

  // `size` granules at a multiple of `align` bytes (of at most a page); null where memory is exhausted.
  void *allocate(unsigned size, size_t align);

  // Makes a block longer or shorter where it lies; false if the next block is in the way.
  bool resize(Address block, unsigned size);

  void spill(unsigned size);
  void close();
  void give_back(Block *block);
  void decay(unsigned most_spans);

private:
  // Above this size, in granules, a search costs little beside the use of the block.
  static constexpr unsigned kBinMost = 64;

  static constexpr unsigned kLists = 41;
  static constexpr unsigned kFirstListWithPages = 20; // a hole of a page has 64 granules

  // The hole that is being filled, in order of birth.
  struct Cursor {
    Segment *segment = nullptr;
    SpanInfo *span = nullptr;
    Range hole;
  };

  bool seek(SpanInfo &span, unsigned size, uint32_t align);
  void *take(unsigned size, uint32_t align);
  bool seek_best(unsigned size, uint32_t align);
  static unsigned list_for(uint32_t hole);
  void unlist(const SpanInfo &span);
  void file(SpanInfo &span, uint32_t largest_hole);
  void decay(SpanInfo &span);
  void note_hole(SpanInfo &span, const MediumMap &map, uint32_t at);
  SpanInfo *add_span();
  void give_back_chain(Block *first);

  Bin bins_[kBinMost + 1];
  uintptr_t mark_ = 0;
  uint32_t tag_ = ~uint32_t{0};
  LocalHeap *owner_ = nullptr;
  Cursor cursor_;
  SpanList spans_[kLists]; // by their largest hole; the first is not used
  uint64_t filled_ = 0;    // the lists that hold a span, a bit each
};

inline uint32_t medium_granule(Segment *segment, const SpanInfo &span, Address address) {
  return static_cast<uint32_t>((address - segment->page_address(first_page(span))) /
                               MediumGranules::kBytes);
}

} // namespace abut::heap
