#include "heap/statistics.hpp"

#include "heap/heap_registry.hpp"
#include "heap/huge_blocks.hpp"
#include "heap/large_blocks.hpp"

#include <mutex>

namespace abut::heap {
namespace {

void count_small_page(Statistics &totals, const SmallMap &map) {
  bool any = false;
  map.each_block([&](Range block) {
    any = true;
    if (block.count <= kSmallClasses) ++totals.classes[block.count].blocks;
  });
  totals.small_pages += any;
}

void count_medium_span(Statistics &totals, const MediumMap &map) {
  map.each_block([&](Range block) {
    ++totals.medium_blocks;
    totals.medium_bytes += MediumGranules{block.count}.bytes();
  });
  const auto cover = map.cover();
  constexpr unsigned kWordsInPage = kPageBytes / MediumGranules::kBytes / 64;
  static_assert(kWordsInPage == 1);
  for (uint64_t word : cover.words) totals.medium_pages += word != 0;
}

void count_run(Statistics &totals, Segment &segment, Range pages) {
  const unsigned unit = pages.first / kPagesInUnit;
  const Tier tier = tier_of(segment.tags[unit].load(std::memory_order_relaxed));
  if (tier == Tier::small)
    for (unsigned i = 0; i < pages.count; ++i)
      count_small_page(totals, segment.lines[pages.first + i]);
  else if (tier == Tier::medium)
    count_medium_span(totals, medium_map(&segment, segment.spans[unit]));
  else if (const LargeInfo &info = segment.line_as<LargeInfo>(pages.first); info.bytes() != 0) {
    ++totals.large_blocks;
    totals.large_bytes += info.bytes();
    totals.pages_in_use += pages.count;
  }
}

// Which blocks are live while their owner goes on: right, or off by what it did meanwhile.
void count_size_page(Statistics &totals, const SizePage &page) {
  if (page.owner == nullptr) return;
  ClassCount &one = totals.classes[page.block_bytes / Granules::kBytes];
  uint64_t pages = 0; // that hold a block, a bit each
  page.each_place([&](Address place) {
    if (page.state_of(place) != BlockState::live) return;
    ++one.blocks;
    for (Address at = place; at < place + page.block_bytes; at += Granules::kBytes)
      pages |= uint64_t{1} << at % kUnitBytes / kPageBytes;
  });
  totals.small_pages += static_cast<size_t>(std::popcount(pages));
  totals.metadata += SizePage::kHeaderBytes;
}

void count_segment(Statistics &totals, Segment &segment) {
  ++totals.segments;
  // The other pages of the header are only touched where cells wait.
  totals.metadata += (Segment::kHeaderPages - Segment::kWaitingPages) * kPageBytes;
  segment.runs.each_block([&](Range pages) {
    if (pages.first != 0) count_run(totals, segment, pages);
  });
}

// While the owner goes on: right, or off by what it did meanwhile.
[[gnu::noinline, gnu::no_sanitize_thread]] size_t set_aside_from_outside(const LocalHeap &heap) {
  return heap.set_aside;
}

// What waits in a heap's bins is marked as taken in the maps, but free.
void count_bins(Statistics &totals, LocalHeap &heap) {
  const auto waits = [&](const Bin &bin, size_t bytes) {
    const auto blocks = static_cast<size_t>(std::max(bin.count_from_outside(), 0));
    totals.waiting_bytes += blocks * bytes;
    return blocks;
  };
  for (unsigned size = 1; size <= kSmallClasses; ++size)
    totals.classes[size].waiting += waits(heap.small.bin(size), size * Granules::kBytes);
  for (unsigned one = 0; one < kMediumClasses.count(); ++one) {
    const size_t bytes = MediumGranules{kMediumClasses.granules(one)}.bytes();
    totals.medium_waiting_bytes += waits(heap.medium.bin(one), bytes) * bytes;
  }
  totals.set_aside_bytes += set_aside_from_outside(heap);
  totals.heaps += !heap.is_side();
  totals.orphans += !heap.is_side() && heap.orphan.load(std::memory_order_relaxed);
  totals.metadata += round_up(sizeof(LocalHeap), kPageBytes);
}

} // namespace

size_t Statistics::live_bytes() const {
  size_t total =
      medium_bytes - std::min(medium_bytes, medium_waiting_bytes) + large_bytes + huge_bytes;
  for (const ClassCount &one : classes) total += one.blocks * one.bytes_each;
  return total - std::min(total, set_aside_bytes);
}

double Statistics::fragmentation() const {
  const size_t live_pages = (live_bytes() + kPageBytes - 1) / kPageBytes;
  return live_pages == 0 ? 1.0
                         : static_cast<double>(pages_in_use) / static_cast<double>(live_pages);
}

Statistics count() {
  Statistics totals;
  for (unsigned size = 1; size <= kSmallClasses; ++size)
    totals.classes[size].bytes_each = size * Granules::kBytes;
  heap_registry.each([&](LocalHeap &heap) {
    std::lock_guard guard(heap.lock());
    count_bins(totals, heap);
  });
  page_runs.each_segment([&](Segment &segment) { count_segment(totals, segment); });
  size_page_store.each_page([&](const SizePage &page) { count_size_page(totals, page); });
  totals.segments += size_page_store.segments();
  const HugeTotals huge = huge_totals();
  totals.huge_blocks = huge.blocks;
  totals.huge_bytes = huge.bytes;
  totals.pages_in_use += totals.small_pages + totals.medium_pages + huge.bytes / kPageBytes;
  totals.free_resident = retention.resident() * kPageBytes;
  totals.mapped = segment_map.mapped_bytes();
  totals.peak = pages_taken.highest() * kPageBytes;
  for (ClassCount &one : totals.classes) one.blocks -= std::min(one.blocks, one.waiting);
  return totals;
}

} // namespace abut::heap
