// Where size pages come from: segments of them, shared by all threads.
//
// A free page that was used stays resident for a while, because using it again is cheap: see retention.hpp. Its time is
// counted from when its segment last saw a page freed.
#pragma once

#include "heap/retention.hpp"
#include "heap/size_page.hpp"

#include <bit>
#include <mutex>

namespace abut::heap {

// In the place of a segment's first page. Sets of pages have a bit a page; the first page's is never set.
struct SizeSegment {
  uint64_t unused;
  uint64_t clean; // of the unused ones: all of it reads as zero
  uint64_t dirty; // of the unused ones: resident, to go back to the kernel
  Link<SizeSegment> in_all;
  Link<SizeSegment> by_room;
  Link<SizeSegment> by_age;
  uint64_t freed_at;                // milliseconds, when a page was last freed
  uint8_t touched[kUnitsInSegment]; // of each dirty page the 4 KiB that were written to

  static constexpr uint64_t kAll = ~uint64_t{1};
  static_assert(kUnitsInSegment == 64);
};

class SizePageStore {
public:
  // A page, whose states are all zero; null where memory is exhausted.
  SizePage *take();

  // Takes a page back of which so many times 4 KiB, from its beginning on, have been written to.
  void give_back(SizePage *page, uint32_t touched);

  // How often a page was taken.
  uint32_t taken() const { return taken_.load(std::memory_order_relaxed); }

  // Gives back what has waited for its time. `now` in milliseconds.
  void decay(uint64_t now);

  // Gives back the free pages of the segment that has been left alone for longest; their number, in 4 KiB.
  size_t give_back_oldest() { return purge_oldest(~uint64_t{0}); }

  void trim();

  // Calls `visit(SizePage &)` for every page in use, under the lock.
  template <class Visit>
  void each_page(Visit visit) {
    std::lock_guard guard(lock_);
    for (SizeSegment *segment = all_.front(); segment; segment = All::after(segment))
      for (uint64_t used = SizeSegment::kAll & ~segment->unused; used != 0; used &= used - 1)
        visit(*page_of(segment, static_cast<unsigned>(std::countr_zero(used))));
  }

  size_t segments() const { return segments_; }
  os::SpinLock &lock() { return lock_; }

private:
  static SizePage *page_of(SizeSegment *segment, unsigned index) {
    return SizePage::of(reinterpret_cast<Address>(segment) + index * kUnitBytes);
  }
  using All = List<SizeSegment, &SizeSegment::in_all>;
  using ByRoom = List<SizeSegment, &SizeSegment::by_room>;
  using ByAge = List<SizeSegment, &SizeSegment::by_age>;

  SizeSegment *add_segment();
  void drop_segment(SizeSegment *segment);
  size_t purge_oldest(uint64_t freed_before);
  void put(SizeSegment *segment, uint64_t pages);

  os::SpinLock lock_;
  std::atomic<uint32_t> taken_{0};
  size_t segments_ = 0;
  All all_;
  ByRoom by_room_; // segments with a page that is not used
  ByAge by_age_;   // segments with a dirty page
};

extern constinit SizePageStore size_page_store;

} // namespace abut::heap
