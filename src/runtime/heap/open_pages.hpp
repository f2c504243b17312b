// The pages of one tier of one heap that have room: those that are partly used, by how long a block they take,
// and the fresh ones of the newest span.
//
// A request gets a page from the spans with just enough room, the one first that became so first, so that
// pages with much room are left to long blocks or become empty, and empty ones go back to the kernel.
#pragma once

#include "heap/page_runs.hpp"

#include <algorithm>

namespace abut::heap {

struct OpenPage {
  Segment *segment = nullptr;
  SpanInfo *span = nullptr;
  unsigned page = 0; // in the segment

  explicit operator bool() const { return segment != nullptr; }
  unsigned index() const { return page % kPagesInUnit; } // in its span
};

// What a page has to offer, in granules.
struct Room {
  uint32_t longest = 0;
  uint32_t free = 0;
};

// Called when a heap has taken another span of small blocks, with the bytes of all of them: for a layer above.
extern void (*when_grown)(size_t span_bytes);

class OpenPages {
public:
  // A page is worth filling when at least so many granules of it are free.
  explicit constexpr OpenPages(uint32_t worth_filling = 1) : worth_filling_(worth_filling) {}

  // A page that takes a block of `size` granules; nobody else fills it from now on. None if none is open.
  OpenPage take_used(uint32_t size);

  // A page that never held a block, of the newest span or of a new one; none where memory is exhausted.
  OpenPage take_fresh(LocalHeap *owner, uint32_t tag);

  // Nobody fills the page any more, or, where nobody did, its room has grown.
  void put(const OpenPage &page, Room room);

  // A block of `taken` granules was put on a page that nobody fills.
  void take_room(const OpenPage &page, uint32_t taken);

  // A block of `freed` granules went from a page that nobody fills; `hole` is as long as the hole it leaves.
  void add_room(const OpenPage &page, uint32_t freed, uint32_t hole);

  // The same for a page that holds no block. Gives the span back if all of its pages are empty.
  void put_empty(const OpenPage &page);

  // Gives back the empty pages that were so at the call before; at most `most_spans` are looked at. Where
  // emptied pages pile up (retention.hpp says how many may) they go back at once.
  void decay(unsigned most_spans);

  size_t span_bytes() const { return spans_ * kUnitBytes; }

private:
  static constexpr uint16_t kAll = (1U << kPagesInUnit) - 1;
  static constexpr unsigned kPopulateFrom = MiB / kUnitBytes; // spans that a growing heap has taken
  static constexpr unsigned kLists = 9; // by bit width of the room; the first is not used
  static constexpr uint32_t kMostRoom = 255;

  static uint16_t bit_of(const OpenPage &page) { return static_cast<uint16_t>(1U << page.index()); }
  static uint16_t pages_with_room(const SpanInfo &span, uint32_t size);
  void move_to(SpanInfo &span, unsigned list);
  void lower(SpanInfo &span);
  SpanInfo *find(uint32_t size);
  bool new_span(LocalHeap *owner, uint32_t tag);

  void keep_idle_few();

  uint32_t worth_filling_;
  uint32_t spans_ = 0;
  uint32_t idle_ = 0; // empty pages that were not given back, more or less
  SpanList lists_[kLists];
  Segment *fresh_segment_ = nullptr;
  SpanInfo *fresh_span_ = nullptr;
};

} // namespace abut::heap
