#include "heap/large_blocks.hpp"

#include "heap/page_store.hpp"

#include <algorithm>

namespace abut::heap {
namespace {

// Where blocks of a size may begin, in a row that holds them from each of these positions: at some of the row's pages of 4 KiB,
// and at some lines of those.
struct Positions {
  size_t first = 0, pages = 1, lines = 1;

  size_t number() const { return pages * lines; }
  size_t offset_of(size_t position) const {
    return first + position / lines * kPageBytes + position % lines * kLineBytes;
  }
  size_t last() const { return offset_of(number() - 1); }
};

// No position makes a block reach into a further 4 KiB. But where a long block would have few lines to choose from, every position
// may.
Positions positions_for(size_t bytes) {
  constexpr size_t kLong = 64 * KiB, kFew = 8;
  const size_t lines = (round_up(bytes, kPageBytes) - bytes) / kLineBytes + 1;
  const bool tight = bytes >= kLong && lines <= kFew;
  const size_t reach = round_up(bytes, kPageBytes) + (tight ? kPageBytes : 0);
  const size_t pages = (round_up(reach, kBlockPageBytes) - reach) / kPageBytes + 1;
  if (!tight) return {0, pages, lines};
  return {kFew * kLineBytes, pages, kPageBytes / kLineBytes - kFew};
}

// Multiples of the golden ratio spread any number of neighbours evenly. A row that is used again for its size begins where it did:
// what was written to is written to again.
size_t offset_in(size_t row, Positions positions) {
  constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;
  return positions.offset_of((row * kGolden >> 32) * positions.number() >> 32);
}

unsigned pages_for(size_t bytes) {
  return static_cast<unsigned>((bytes + kBlockPageBytes - 1) / kBlockPageBytes);
}

size_t offset_of(LargeBlock block) { return block.begin() % kBlockPageBytes; }
size_t end_of(LargeBlock block) { return offset_of(block) + block.usable_bytes(); }
unsigned pages_of(LargeBlock block) { return pages_for(end_of(block)); }
size_t written_to(LargeBlock block) {
  return std::min(std::max<size_t>(end_of(block), block.page->written),
                  pages_of(block) * kBlockPageBytes);
}

// The description is the block's holder's to change.
Page &page_of(LargeBlock block) { return PageSegment::page_of(block.begin()); }

Page *take_row(Row row, FreeRows *rows, bool &clean) {
  clean = false;
  if (rows != nullptr && row.align == 1)
    if (Page *page = rows->take(row.pages)) return page;
  Page *page = size_pages.take(nullptr, row).page;
  if (page == nullptr) return nullptr;
  clean = page->is_clean;
  page->written = 0;
  return page;
}

} // namespace

void *allocate_large(size_t bytes, size_t align, bool &clean, FreeRows *rows) {
  const Positions positions = align > kLineBytes ? Positions{} : positions_for(bytes);
  const Row row{pages_for(positions.last() + bytes), std::max(pages_for(align), 1U)};
  Page *page = take_row(row, rows, clean);
  if (page == nullptr) return nullptr;
  PageSegment *segment = PageSegment::of(*page);
  const Address begin = segment->address_of(segment->index_of(*page));
  page->begin = begin + offset_in(begin / kBlockPageBytes, positions);
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

void free_large(LargeBlock block, FreeRows &rows, uint64_t now) {
  Page &page = page_of(block);
  const unsigned pages = pages_of(block);
  page.written = static_cast<uint32_t>(written_to(block));
  store_released<uint32_t>(page.touched, 0); // no block lies there any more
  rows.keep(&page, pages, now);
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
