// Where pages come from: segments of them, shared by all threads, one store for each kind.
//
// A segment is mapped piece by piece as its pages are taken. A free page that was used stays resident for a while, because
// using it again is cheap: see retention.hpp. Its time is counted from when its segment last saw a page freed.
#pragma once

#include "heap/page.hpp"
#include "heap/retention.hpp"

namespace abut::heap {

// All stores' pages, as far as others deal with them.
size_t
give_back_oldest_pages(); // of the segment left alone for longest in each store; their number, in 4 KiB
void decay_pages(uint64_t now);
void trim_pages();

template <unsigned Shift, SegmentKind Kind>
class PageStore {
public:
  using Segment = PageSegment<Shift>;
  static constexpr size_t kBytes = size_t{1} << Shift;

  // A page of `owner`, whose memory reads as zero up to `header`, and all of it where it is clean; null where memory is
  // exhausted.
  Page *take(LocalHeap *owner, size_t header);

  // Takes a page back of which so many bytes, from its beginning on, have been written to.
  void give_back(Page *page, size_t written);

  // How often a page was taken.
  uint32_t taken() const { return taken_.load(std::memory_order_relaxed); }

  // Gives back the free pages of the segment that has been left alone for longest, if that was before that time; their
  // number, in 4 KiB.
  size_t give_back_oldest(uint64_t freed_before = ~uint64_t{0});

  // Calls `visit(Page &)` for every page in use, under the lock.
  template <class Visit>
  void each_page(Visit visit) {
    std::lock_guard guard(lock_);
    for (Segment *segment = all_.front(); segment; segment = All::after(segment))
      for (uint64_t used = Segment::kAll & ~segment->unused; used != 0; used &= used - 1)
        visit(segment->pages[std::countr_zero(used)]);
  }

  size_t segments() const { return segments_; }
  os::SpinLock &lock() { return lock_; }

private:
  using All = List<Segment, &Segment::in_all>;
  using ByRoom = List<Segment, &Segment::by_room>;
  using ByAge = List<Segment, &Segment::by_age>;

  static constexpr uint32_t pages_in(size_t bytes) { return Pages::holding(bytes).n; }
  Segment *add_segment();
  bool map_up_to(Segment *segment, unsigned index);
  void drop_segment(Segment *segment);
  Page *take_from(Segment *segment);
  void put(Segment *segment, uint64_t pages);

  os::SpinLock lock_;
  std::atomic<uint32_t> taken_{0};
  size_t segments_ = 0;
  All all_;
  ByRoom by_room_; // segments with a page that is not used
  ByAge by_age_;   // segments with a dirty page
};

using SmallPages = PageStore<kSmallPageShift, SegmentKind::small_pages>;
using MediumPages = PageStore<kMediumPageShift, SegmentKind::medium_pages>;
using BirthPages = PageStore<kSmallPageShift, SegmentKind::birth_pages>;
extern constinit SmallPages small_pages;
extern constinit MediumPages medium_pages;
extern constinit BirthPages birth_pages;

// How often a page of any kind was taken.
inline uint32_t pages_ever_taken() {
  return small_pages.taken() + medium_pages.taken() + birth_pages.taken();
}

} // namespace abut::heap
