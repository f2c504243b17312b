#include "heap/statistics.hpp"

#include "heap/heap_registry.hpp"
#include "heap/huge_blocks.hpp"
#include "heap/large_blocks.hpp"
#include "heap/live_blocks.hpp"
#include "heap/page_store.hpp"

#include <algorithm>
#include <bit>
#include <bitset>
#include <mutex>

namespace abut::heap {
namespace {

// The 4 KiB of a page that a block lies on, a bit each.
using Held = std::bitset<kLongPage * kBlockPageBytes / kPageBytes>;

void count_blocks(Statistics &totals, size_t bytes, size_t number) {
  if (bytes < kSmallMax) {
    totals.classes[bytes / Granules::kBytes].blocks += number;
  } else {
    totals.medium_blocks += number;
    totals.medium_bytes += number * bytes;
  }
}

void hold(Held &held, size_t offset, size_t bytes) {
  for (size_t page = offset / kPageBytes; page <= (offset + bytes - 1) / kPageBytes; ++page)
    held[page] = true;
}

// Null if the page is no heap's. It may be given back at any time: so they are asked for once.
const State *states_of(const Page &page) {
  const State *states = load_plainly(page.states);
  return load_plainly(page.owner) != nullptr && states != no_states ? states : nullptr;
}

void count_size_page(Statistics &totals, const Page &page) {
  const State *states = states_of(page);
  if (states == nullptr || page.behind_head != 0) return;
  const uint32_t bytes = page.block_bytes();
  Held held;
  for (uint32_t at = 0; at < page.blocks(); at += kStatesAtOnce) {
    const uint32_t count = std::min(page.blocks() - at, kStatesAtOnce);
    const uint64_t all = ~uint64_t{0} >> (kStatesAtOnce - count);
    uint64_t live = ~free_blocks(states + at) & all;
    count_blocks(totals, bytes, static_cast<size_t>(std::popcount(live)));
    if (live == all) {
      hold(held, size_t{at} * bytes, size_t{count} * bytes);
      continue;
    }
    for (; live != 0; live &= live - 1)
      hold(held, (size_t{at} + static_cast<size_t>(std::countr_zero(live))) * bytes, bytes);
  }
  (bytes < kSmallMax ? totals.small_pages : totals.medium_pages) += held.count();
  totals.metadata += page.blocks() * sizeof(State);
}

void count_birth_page(Statistics &totals, const Page &page) {
  const auto *cells = reinterpret_cast<const Cell *>(states_of(page));
  if (cells == nullptr) return;
  Held held;
  for (uint32_t at = 0; at < kGranulesInPage; ++at)
    if (const Cell cell = load_plainly(cells[at]); is_live(cell)) {
      count_blocks(totals, cell * Granules::kBytes, 1);
      hold(held, at * Granules::kBytes, cell * Granules::kBytes);
    }
  totals.small_pages += held.count();
  totals.metadata += kGranulesInPage * sizeof(Cell);
}

void count_large_block(Statistics &totals, const Page &page) {
  const LargeBlock block = large_block_of(page);
  if (!block) return;
  ++totals.large_blocks;
  totals.large_bytes += block.bytes();
  totals.pages_in_use += Pages::holding(block.usable_bytes()).n;
}

void count_heap(Statistics &totals, LocalHeap &heap) {
  std::lock_guard guard(heap.lock());
  totals.heaps += !heap.is_side();
  totals.orphans += !heap.is_side() && heap.orphan.load(std::memory_order_relaxed);
  totals.metadata += round_up(sizeof(LocalHeap), kPageBytes);
  totals.free_resident += heap.rows.resident();
}

} // namespace

size_t Statistics::live_bytes() const {
  size_t total = medium_bytes + large_bytes + huge_bytes;
  for (const ClassCount &one : classes) total += one.blocks * one.bytes_each;
  return total;
}

double Statistics::fragmentation() const {
  const size_t live_pages = (live_bytes() + kPageBytes - 1) / kPageBytes;
  return live_pages == 0 ? 1.0
                         : static_cast<double>(pages_in_use) / static_cast<double>(live_pages);
}

Statistics count() {
  Statistics totals;
  totals.classes[0].bytes_each = kTinyMax;
  for (unsigned size = 1; size < Statistics::kClasses; ++size)
    totals.classes[size].bytes_each = size * Granules::kBytes;
  heap_registry.each([&](LocalHeap &heap) { count_heap(totals, heap); });
  size_pages.each_page([&](const Page &page) {
    count_size_page(totals, page);
    count_large_block(totals, page);
  });
  birth_pages.each_page([&](const Page &page) { count_birth_page(totals, page); });
  totals.segments = size_pages.segments() + birth_pages.segments();
  const HugeTotals huge = huge_totals();
  totals.huge_blocks = huge.blocks;
  totals.huge_bytes = huge.bytes;
  totals.pages_in_use += totals.small_pages + totals.medium_pages + huge.bytes / kPageBytes;
  totals.free_resident += retention.resident() * kPageBytes;
  totals.mapped = segment_map.mapped_bytes();
  totals.peak = pages_taken.highest() * kPageBytes;
  return totals;
}

} // namespace abut::heap
