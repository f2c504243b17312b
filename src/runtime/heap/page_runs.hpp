// Runs of pages for spans and large blocks, shared by all threads: best fit, coalesced, given back by policy.
//
// A free page that was used stays resident for a while, because using it again is cheap: see retention.hpp. Its
// time is counted from when its segment last saw a page freed.
#pragma once

#include "heap/retention.hpp"
#include "heap/run_segment.hpp"

#include <mutex>

namespace abut::heap {

struct Run {
  RunSegment *segment = nullptr;
  Range pages;
  bool clean = false; // all of it reads as zero

  explicit operator bool() const { return segment != nullptr; }
  Address address() const { return segment->page_address(pages.first); }
};

class PageRuns {
public:
  static constexpr Pages kMost{kLargeMax / kPageBytes + 1};

  // `count` pages whose index in the segment is a multiple of `align`; none where memory is exhausted.
  Run allocate(Pages count, uint32_t align);
  // How often anybody asked for a run.
  uint32_t taken() const { return taken_.load(std::memory_order_relaxed); }

  // Takes a run back.
  void release(RunSegment *segment, Range pages);

  // Makes a run longer or shorter where it lies; false where its neighbours are in use.
  bool resize(RunSegment *segment, Range pages, Pages count);

  // Gives back what has waited for its time. `now` in milliseconds.
  void decay(uint64_t now);

  // Gives back the free pages of the segment that has been left alone for longest; their number.
  size_t give_back_oldest() { return purge_oldest(~uint64_t{0}); }

  // Gives back all free pages, and segments without a page in use. Returns the bytes given back.
  size_t trim();

  // Calls `visit(RunSegment &)` for every segment, under the lock.
  template <class Visit>
  void each_segment(Visit visit) {
    std::lock_guard guard(lock_);
    for (auto &segments : by_hole_)
      for (RunSegment *segment = segments.front(); segment; segment = ByHole::after(segment))
        visit(*segment);
  }

  os::SpinLock &lock() { return lock_; }

private:
  using ByHole = List<RunSegment, &RunSegment::by_hole>;
  using ByAge = List<RunSegment, &RunSegment::by_age>;
  static constexpr unsigned kBuckets = 12; // by the bit width of the largest hole

  Run find(Pages count, uint32_t align);
  Run take(RunSegment *segment, Pages count, uint32_t align);
  Run mark_used(RunSegment *segment, Range pages);
  RunSegment *add_segment();
  void refile(RunSegment *segment);
  void refile(RunSegment *segment, uint32_t largest_hole);
  void set_dirty(RunSegment *segment, Range pages);
  uint32_t clear_dirty(RunSegment *segment, Range pages);
  size_t purge_oldest(uint64_t freed_before);

  os::SpinLock lock_;
  std::atomic<uint32_t> taken_{0};
  size_t segments_ = 0;
  ByHole by_hole_[kBuckets];
  ByAge dirty_segments_;
};

extern constinit PageRuns page_runs;

} // namespace abut::heap
