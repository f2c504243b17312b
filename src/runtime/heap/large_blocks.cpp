#include "heap/large_blocks.hpp"

#include <algorithm>

namespace abut::heap {
namespace {

// From this size on a block of whole pages gets a page more to begin at different lines of.
constexpr size_t kSpareFrom = 64 * KiB;
constexpr size_t kSpareAtLeast = 8 * kLineBytes;

std::atomic<uint32_t> colours{0};

Pages pages_for(size_t bytes) {
  Pages pages = Pages::holding(bytes);
  if (bytes >= kSpareFrom && pages.bytes() - bytes < kSpareAtLeast) ++pages.n;
  return pages;
}

// Bytes from the start of the first page to the block.
size_t next_offset(size_t spare) {
  const size_t choices = std::min(spare / kLineBytes, kPageBytes / kLineBytes - 1) + 1;
  // Steps of 5 lines spread the first few blocks over the page; the cost is nil.
  return colours.fetch_add(5, std::memory_order_relaxed) % choices * kLineBytes;
}

} // namespace

void *allocate_large(size_t bytes, size_t align, bool &clean) {
  const bool aligned = align > kLineBytes;
  const Pages pages = aligned ? Pages::holding(bytes) : pages_for(bytes);
  const Run run = page_runs.allocate(pages, std::max(Pages::holding(align).n, 1U));
  if (!run) return nullptr;
  clean = run.clean;
  const size_t offset = aligned ? 0 : next_offset(pages.bytes() - bytes);
  run.segment->large[run.pages.first].set(offset, bytes);
  return reinterpret_cast<void *>(run.address() + offset);
}

LargeBlock large_block_at(Address address) {
  RunSegment *segment = RunSegment::of(address);
  const unsigned page = page_in_segment(address);
  if (page < RunSegment::kHeaderPages || !segment->runs.begins_at(page)) return {};
  const LargeInfo &info = segment->large[page];
  if (info.bytes() == 0 || info.offset() != address % kPageBytes) return {};
  return {segment, {page, segment->runs.length_at(page)}, address};
}

void free_large(const LargeBlock &block) {
  block.segment->large[block.pages.first].clear();
  page_runs.release(block.segment, block.pages);
}

bool resize_large(const LargeBlock &block, size_t bytes) {
  LargeInfo &info = block.segment->large[block.pages.first];
  const Pages pages = Pages::holding(info.offset() + bytes);
  if (pages > PageRuns::kMost || !page_runs.resize(block.segment, block.pages, pages)) return false;
  info.set(info.offset(), bytes);
  return true;
}

} // namespace abut::heap
