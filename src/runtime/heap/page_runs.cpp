#include "heap/page_runs.hpp"

#include "heap/huge_cache.hpp"
#include "heap/huge_pages.hpp"

#include <algorithm>

namespace abut::heap {

constinit PageRuns page_runs;
constinit Gauge pages_taken;
constinit Retention retention;

namespace {

unsigned bucket_of(uint32_t largest_hole) {
  return static_cast<unsigned>(std::bit_width(largest_hole));
}

// Of a bucket whose holes may be too small, or not aligned, this many segments are tried.
constexpr unsigned kTriesInBucket = 16;

} // namespace

void PageRuns::refile(RunSegment *segment) {
  uint32_t largest = 0;
  segment->runs.cover().best_fit(0, kPagesInSegment, 1, largest);
  refile(segment, largest);
}

void PageRuns::refile(RunSegment *segment, uint32_t largest) {
  if (bucket_of(largest) != bucket_of(segment->largest_hole)) {
    by_hole_[bucket_of(segment->largest_hole)].remove(segment);
    by_hole_[bucket_of(largest)].push_back(segment);
  }
  segment->largest_hole = largest;
}

RunSegment *PageRuns::add_segment() {
  void *memory = segment_map.map(kSegmentBytes, kSegmentBytes, kSegmentBytes, SegmentKind::runs);
  if (memory == nullptr) return nullptr;
  advise_huge_pages(memory, kSegmentBytes);
  auto *segment = static_cast<RunSegment *>(memory); // all of it reads as zero
  segment->runs.add({0, RunSegment::kHeaderPages});
  segment->largest_hole = RunSegment::kUsablePages;
  ++segments_;
  by_hole_[bucket_of(segment->largest_hole)].push_back(segment);
  return segment;
}

Run PageRuns::mark_used(RunSegment *segment, Range pages) {
  segment->runs.add(pages);
  pages_taken.add(pages.count);
  const uint32_t dirty = clear_dirty(segment, pages);
  const uint32_t refused = clear_bits(segment->refused, pages);
  retention.took(clear_bits(segment->returned, pages));
  return {segment, pages, dirty + refused == 0};
}

Run PageRuns::take(RunSegment *segment, Pages count, uint32_t align) {
  uint32_t largest = 0;
  const Range hole = segment->runs.cover().best_fit(0, count.n, align, largest);
  if (!hole) return {};
  const Run run = mark_used(segment, fit_in(hole, count.n, align));
  if (hole.count == segment->largest_hole) refile(segment);
  return run;
}

Run PageRuns::find(Pages count, uint32_t align) {
  // In the buckets from `sure` on, any hole takes the run whatever its alignment.
  const unsigned sure = static_cast<unsigned>(std::bit_width(count.n + align - 2)) + 1;
  for (unsigned bucket = bucket_of(count.n); bucket < kBuckets; ++bucket) {
    unsigned tries = bucket < sure ? kTriesInBucket : ~0U;
    for (RunSegment *segment = by_hole_[bucket].front(); segment && tries > 0; --tries) {
      if (segment->largest_hole >= count.n)
        if (Run run = take(segment, count, align)) return run;
      segment = ByHole::after(segment);
    }
  }
  RunSegment *segment = add_segment();
  return segment ? take(segment, count, align) : Run{};
}

Run PageRuns::allocate(Pages count, uint32_t align) {
  Run run;
  bool has_grown = false;
  {
    std::lock_guard guard(lock_);
    taken_.store(taken_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    const size_t segments = segments_;
    run = find(count, align);
    has_grown = segments_ > segments;
  }
  if (has_grown) make_room(kPagesInSegment);
  return run;
}

// None of them is dirty, since they were in use.
void PageRuns::set_dirty(RunSegment *segment, Range pages) {
  set_bits(segment->dirty, pages);
  if (segment->dirty_pages != 0) dirty_segments_.remove(segment);
  dirty_segments_.push_back(segment);
  segment->freed_at = os::coarse_milliseconds();
  segment->dirty_pages += pages.count;
  retention.add_resident(pages.count);
}

uint32_t PageRuns::clear_dirty(RunSegment *segment, Range pages) {
  const uint32_t cleared = clear_bits(segment->dirty, pages);
  if (cleared == 0) return 0;
  segment->dirty_pages -= cleared;
  if (segment->dirty_pages == 0) dirty_segments_.remove(segment);
  retention.subtract_resident(cleared);
  return cleared;
}

void PageRuns::release(RunSegment *segment, Range pages) {
  {
    std::lock_guard guard(lock_);
    segment->runs.remove(pages);
    refile(segment, std::max(segment->largest_hole, segment->runs.hole_at(pages.first).count));
    pages_taken.subtract(pages.count);
    set_dirty(segment, pages);
  }
  while (retention.exceeded()) {
    const size_t given_back = purge_oldest(~uint64_t{0});
    if (given_back == 0) break;
    retention.gave_back(given_back);
  }
}

bool PageRuns::resize(RunSegment *segment, Range pages, Pages count) {
  if (count.n <= pages.count) {
    if (count.n == pages.count) return true;
    {
      std::lock_guard guard(lock_);
      segment->runs.resize(pages, count.n);
      const Range rest{pages.first + count.n, pages.count - count.n};
      segment->runs.add(rest);
    }
    release(segment, {pages.first + count.n, pages.count - count.n});
    return true;
  }
  std::lock_guard guard(lock_);
  const Range more{pages.end(), count.n - pages.count};
  const Range hole = segment->runs.cover().next_hole(pages.end());
  if (hole.first != more.first || hole.count < more.count) return false;
  segment->runs.resize(pages, count.n);
  clear_dirty(segment, more);
  clear_bits(segment->refused, more);
  retention.took(clear_bits(segment->returned, more));
  refile(segment);
  pages_taken.add(more.count);
  return true;
}

// Gives back the dirty pages of the segment that has been left alone for longest, if that was before
// `freed_before`; returns their number. While the kernel works, the pages count as used and no lock is held. Pages
// that it refuses, as it does when they are locked, stay resident and are not tried again until they have been used.
size_t PageRuns::purge_oldest(uint64_t freed_before) {
  RunSegment *segment = nullptr;
  Range ranges[kPagesInSegment / 2];
  unsigned count = 0;
  size_t given_back = 0;
  {
    std::lock_guard guard(lock_);
    segment = dirty_segments_.front();
    if (segment == nullptr || segment->freed_at > freed_before) return 0;
    for (uint32_t at = next_bit<true>(segment->dirty, kPagesInSegment, 0); at < kPagesInSegment;) {
      const uint32_t end = next_bit<false>(segment->dirty, kPagesInSegment, at);
      ranges[count++] = {at, end - at};
      segment->runs.add({at, end - at});
      at = next_bit<true>(segment->dirty, kPagesInSegment, end);
    }
    given_back = clear_dirty(segment, {0, kPagesInSegment});
    refile(segment);
  }
  uint64_t returned[kPagesInSegment / 64] = {}, refused[kPagesInSegment / 64] = {};
  for (unsigned i = 0; i < count; ++i) {
    const bool is_taken =
        os::discard(reinterpret_cast<void *>(segment->page_address(ranges[i].first)),
                    Pages{ranges[i].count}.bytes());
    set_bits(is_taken ? returned : refused, ranges[i]);
  }
  std::lock_guard guard(lock_);
  for (unsigned i = 0; i < count; ++i) segment->runs.remove(ranges[i]);
  for (unsigned i = 0; i < kPagesInSegment / 64; ++i) {
    segment->returned[i] |= returned[i];
    segment->refused[i] |= refused[i];
  }
  refile(segment);
  if (segment->largest_hole == RunSegment::kUsablePages && segment->dirty_pages == 0) {
    by_hole_[bucket_of(segment->largest_hole)].remove(segment);
    --segments_;
    segment_map.unmap(segment, kSegmentBytes, kSegmentBytes);
  }
  return given_back;
}

void PageRuns::decay(uint64_t now) {
  const auto wait = static_cast<uint64_t>(option_value(Option::decay_ms));
  if (now < wait) return;
  while (purge_oldest(now - wait) != 0) {
  }
}

size_t PageRuns::trim() {
  size_t pages = 0;
  while (const size_t more = purge_oldest(~uint64_t{0})) pages += more;
  return Pages{static_cast<uint32_t>(pages)}.bytes();
}

} // namespace abut::heap
