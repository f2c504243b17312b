// Medium blocks of one thread: 64-byte granules in spans of 128 KiB, best fit, coalesced by their maps.
//
// Freed blocks wait in a bin of their class, for the next request of the class to find them still in the cache.
#pragma once

#include "heap/bin.hpp"
#include "heap/medium_classes.hpp"
#include "heap/page_runs.hpp"

namespace abut::heap {

// Where in its span, which lies at a multiple of its size, an address is.
inline uint32_t medium_granule(Address address) {
  return static_cast<uint32_t>(address % kMediumSpanBytes / MediumGranules::kBytes);
}

// The map of the span that `address` lies in.
inline MediumMap &medium_map_at(Segment *segment, Address address) {
  return segment->line_as<MediumMap>(page_in_segment(round_down(address, kMediumSpanBytes)));
}

class MediumHeap {
public:
  void open(LocalHeap *owner, uint32_t tag, uintptr_t mark);

  // The granules that a block of `bytes` gets.
  static unsigned granules_for(size_t bytes) {
    return kMediumClasses.granules(kMediumClasses.for_bytes(bytes));
  }

  // ---- the owner's fast paths: no lock ----

  // A block that waits in the bin of a class, or null.
  void *pop(unsigned size_class) {
    Bin &bin = bins_[size_class];
    Block *block = bin.head;
    if (block == nullptr) return nullptr;
    bin.head = block->next;
    ++bin.room;
    block->mark = 0;
    return block;
  }

  // Keeps a block of a class for the next request; false if the bin now wants to be spilled.
  bool push(Block *block, unsigned size_class) {
    Bin &bin = bins_[size_class];
    block->next = bin.head;
    block->mark = mark_;
    written_before_linked();
    bin.head = block;
    return --bin.room >= 0;
  }

  bool looks_free(const Block *block) const { return block->mark == mark_; }
  uint32_t tag() const { return tag_; }
  const Bin &bin(unsigned size_class) const { return bins_[size_class]; }

  // ---- under the heap's lock ----

  // The bin of a class has given out.
  void note_miss(unsigned size_class) { bins_[size_class].grow(); }

  // Keeps a block that came back from another thread in its bin; false if that is full, or if it has none.
  bool keep(Block *block);

  // `size` granules at a multiple of `align` bytes (of at most a page); null where memory is exhausted.
  void *allocate(unsigned size, size_t align);

  // Makes a block longer or shorter where it lies; false if the next block is in the way.
  bool resize(Address block, unsigned size);

  void spill(unsigned size_class);

  // Gives the older half of every bin back.
  void thin_bins();
  void close();
  void give_back(Block *block);
  void decay(unsigned most_spans);

private:
  static constexpr size_t kBytesInBin = 32 * KiB;

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

  uintptr_t mark_ = 0;
  uint32_t tag_ = ~uint32_t{0};
  Bin bins_[kMediumClasses.count()];
  LocalHeap *owner_ = nullptr;
  Cursor cursor_;
  SpanList spans_[kLists]; // by their largest hole; the first is not used
  uint64_t filled_ = 0;    // the lists that hold a span, a bit each
};

} // namespace abut::heap
