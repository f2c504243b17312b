// To-space: empty pages that a mover fills in order, without keeping the heap's tables until all is done (Adcock 2009,
// 5.2: with two spaces a mover needs hardly any of the allocator's work).
#pragma once

#include "cluster.hpp"

#include <vector>

namespace adcock::move {

template <typename Heap>
class ToSpace {
public:
  using Numbers = typename Heap::Numbers;
  using Mask = typename Heap::Mask;

  explicit ToSpace(Heap &heap) : heap_(&heap) {
    for (std::uint32_t page = heap.pages(); page-- > 0;)
      if (page_is_empty(PageId{page})) empty_.push_back(PageId{page});
  }
  ToSpace(const ToSpace &) = delete;
  ToSpace &operator=(const ToSpace &) = delete;
  ~ToSpace() { heap_->rebuild(); }

  // A line without a node: the next of the page, or the first of the next page.
  LineId next_line() {
    if (line_in_page_ == Numbers::kLinesPerPage) next_page();
    return Numbers::line(page_, line_in_page_++);
  }
  std::uint32_t lines_left_in_page() const { return Numbers::kLinesPerPage - line_in_page_; }

  // `count` cells of one line that are used for nothing else: of a fresh line, if they fill it, or else of one that
  // small clusters share.
  LineId line_for(unsigned count) {
    if (count == Numbers::kCellsPerLine) return next_line();
    if (!found(shared_) || heap_->space(shared_) < count) shared_ = next_line();
    return shared_;
  }
  CellId take(LineId line) {
    const Mask mask = heap_->mask(line);
    const auto slot = static_cast<std::uint32_t>(std::countr_one(mask));
    heap_->set_mask_unnoted(line, static_cast<Mask>(mask | std::uint64_t{1} << slot));
    return Numbers::cell(line, slot);
  }
  void leave(CellId cell) {
    const LineId line = Numbers::line_of(cell);
    poison(heap_->address(cell), sizeof(typename Heap::NodeType));
    heap_->set_mask_unnoted(line, static_cast<Mask>(heap_->mask(line) & ~Heap::bit(cell)));
  }

private:
  bool page_is_empty(PageId page) const {
    for (std::uint32_t i = 0; i < Numbers::kLinesPerPage; ++i)
      if (heap_->mask(Numbers::line(page, i)) != 0) return false;
    return true;
  }
  void next_page() {
    if (!empty_.empty()) {
      page_ = empty_.back();
      empty_.pop_back();
    } else {
      page_ = heap_->grow();
    }
    line_in_page_ = 0;
  }

  Heap *heap_;
  std::vector<PageId> empty_; // the lowest last
  PageId page_ = kNoPage;
  std::uint32_t line_in_page_ = Numbers::kLinesPerPage;
  LineId shared_ = kNoLine;
};

} // namespace adcock::move
