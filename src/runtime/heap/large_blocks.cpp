#include "heap/large_blocks.hpp"

#include "heap/page_store.hpp"

#include <algorithm>

namespace abut::heap {
namespace {

// From this size on a block of whole pages of 4 KiB gets one more, to begin at different lines of.
constexpr size_t kSpareFrom = 64 * KiB;
constexpr size_t kSpareAtLeast = 8 * kLineBytes;

std::atomic<uint32_t> colours{0};

// Bytes from the start of the first page to the block.
size_t next_offset(size_t bytes) {
  size_t spare = Pages::holding(bytes).bytes() - bytes;
  if (bytes >= kSpareFrom && spare < kSpareAtLeast) spare += kPageBytes;
  const size_t choices = std::min(spare / kLineBytes, kPageBytes / kLineBytes - 1) + 1;
  // Steps of 5 lines spread the first few blocks over the page; the cost is nil.
  return colours.fetch_add(5, std::memory_order_relaxed) % choices * kLineBytes;
}

unsigned pages_for(size_t bytes) {
  return static_cast<unsigned>((bytes + kBlockPageBytes - 1) / kBlockPageBytes);
}

size_t offset_of(LargeBlock block) { return block.begin() % kBlockPageBytes; }
size_t written_to(LargeBlock block) { return offset_of(block) + block.usable_bytes(); }
unsigned pages_of(LargeBlock block) { return pages_for(written_to(block)); }

// The description is the block's holder's to change.
Page &page_of(LargeBlock block) { return PageSegment::page_of(block.begin()); }

} // namespace

void *allocate_large(size_t bytes, size_t align, bool &clean) {
  const size_t offset = align > kLineBytes ? 0 : next_offset(bytes);
  const Row row{pages_for(offset + bytes), std::max(pages_for(align), 1U)};
  Page *page = size_pages.take(nullptr, row).page;
  if (page == nullptr) return nullptr;
  clean = page->is_clean;
  PageSegment *segment = PageSegment::of(*page);
  page->begin = segment->address_of(segment->index_of(*page)) + offset;
  store_released(page->touched, static_cast<uint32_t>(bytes));
  return reinterpret_cast<void *>(page->begin);
}

LargeBlock large_block_at(Address address) {
  const LargeBlock block = large_block_of(PageSegment::page_of(address));
  return block && block.begin() == address ? block : LargeBlock{};
}

void free_large(LargeBlock block) {
  size_pages.give_back(&page_of(block), pages_of(block), written_to(block));
}

bool resize_large(LargeBlock block, size_t bytes) {
  const unsigned before = pages_of(block), after = pages_for(offset_of(block) + bytes);
  Page &page = page_of(block);
  if (after > before) {
    if (!size_pages.extend(&page, before, after - before)) return false;
  } else {
    size_pages.shorten(&page, before, after, written_to(block));
  }
  store_released(page.touched, static_cast<uint32_t>(bytes));
  return true;
}

} // namespace abut::heap
