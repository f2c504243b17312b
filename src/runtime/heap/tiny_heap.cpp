#include "heap/tiny_heap.hpp"

#include "os/message.hpp"

#include <algorithm>

namespace abut::heap {
namespace {

// A page's room for requests of one cell: what counts is how many there are.
Room free_cells(const CellMap &cells) { return {1, kCellsInPage - cells.count()}; }

} // namespace

// Puts free cells of the page into the bin, the lowest on top, as many as it holds; the rest stays open.
void TinyHeap::take_cells(const OpenPage &page) {
  auto &cells = page.segment->line_as<CellMap>(page.page);
  const Address base = page.segment->page_address(page.page);
  unsigned chosen[kMostCells];
  unsigned count = 0;
  const auto wanted = std::min(static_cast<unsigned>(bin_.room), kMostCells);
  uint32_t cell = cells.next_free(0);
  for (; cell < kCellsInPage && count < wanted; cell = cells.next_free(cell)) {
    cells.take(cell);
    chosen[count++] = cell;
  }
  while (count > 0) push(reinterpret_cast<Block *>(base + chosen[--count] * kTinyMax));
  if (cell < kCellsInPage) pages_.put(page, free_cells(cells));
}

void *TinyHeap::refill() {
  OpenPage page = pages_.take_used(1);
  if (!page) page = pages_.take_fresh(owner_, tag_);
  if (!page) return nullptr;
  take_cells(page);
  bin_.grow();
  return pop();
}

void TinyHeap::give_back(Block *block) {
  const auto address = reinterpret_cast<Address>(block);
  Segment *segment = Segment::of(address);
  if (!is_taken_cell(segment, address)) os::fail("free", block, "this block has been freed twice");
  const unsigned page = page_in_segment(address);
  auto &cells = segment->line_as<CellMap>(page);
  cells.give_back(cell_in_page(address));
  const OpenPage open{segment, &segment->span_at(address), page};
  if (cells.empty())
    pages_.put_empty(open);
  else
    pages_.put(open, free_cells(cells));
}

void TinyHeap::give_back_chain(Block *first) {
  while (first) {
    Block *next = first->following();
    give_back(first);
    first = next;
  }
}

void TinyHeap::spill() { give_back_chain(bin_.overflow()); }

void TinyHeap::close() { give_back_chain(bin_.take_all()); }

} // namespace abut::heap
