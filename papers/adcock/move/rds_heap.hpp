// A heap of cells in lines in pages, for nodes of one type (Adcock 2009, 4.2.1). It hands out cells by operations and
// keeps beside the cells only what those operations need; the lines hold nothing but nodes.
#pragma once

#include "parts/heap_tables.hpp"

#include <new>

namespace adcock::move {

template <typename Node, Geometry Wanted = Geometry{}, Needs What = Needs{}>
class RdsHeap : public HeapTables<sizeof(Node), Wanted, What> {
  using Tables = HeapTables<sizeof(Node), Wanted, What>;

public:
  using NodeType = Node;
  using Numbers = typename Tables::Numbers;
  using Mask = typename Tables::Mask;

  // Memory is taken as it is needed, a page at a time.
  RdsHeap() {
    grow();
    this->use(kNoCell); // its number means: no cell
    this->forget_one();
  }

  Node &operator[](CellId cell) {
    assert(this->in_use(cell) && "was the node moved or freed?");
    return *static_cast<Node *>(address(cell));
  }
  const Node &operator[](CellId cell) const {
    assert(this->in_use(cell) && "was the node moved or freed?");
    return *static_cast<const Node *>(address(cell));
  }
  void *address(CellId cell) const { return cells_.at(Numbers::offset(cell)); }

  // ---- how large it may be ----

  // Operations that need empty blocks get new memory only while the heap has no more than `m` cells for each node
  // (the m of 3.3.5); then they get the emptiest there are. What finds no free cell at all still gets one. 0 is no
  // bound.
  void bound_ratio(double m) { bound_ratio_ = m; }
  double ratio() const {
    const double cells = double(this->pages()) * Numbers::kCellsPerPage;
    return this->nodes() == 0 ? 1.0 : cells / double(this->nodes());
  }
  bool may_grow_for_layout() const {
    return bound_ratio_ <= 0 || double(this->pages() + 1) * Numbers::kCellsPerPage <=
                                    bound_ratio_ * double(this->nodes());
  }

  // ---- finding: an X in a Y (4.2.3) ----

  // Carries out an operation within a block: a LineId, a PageId, or nothing for the heap. Gives a CellId, which is then
  // in use, a LineId or a PageId; or kNoCell, kNoLine, kNoPage. Within a page everything is a word of bits, so that `first`
  // is as quick as `lowest` there, and the same; only in the whole heap is it a stack of its own.
  CellId find(Lowest<Level::cell, Level::line> /*operation*/, LineId line) {
    if (this->is_full(line)) return kNoCell;
    const CellId cell =
        Numbers::cell(line, static_cast<std::uint32_t>(std::countr_one(this->mask(line))));
    this->use(cell);
    return cell;
  }

  template <Choice How>
  LineId find(Find<How, Level::line, Level::page> /*operation*/, PageId page) {
    const auto &facts = this->facts_[number(page)];
    if constexpr (How == Choice::newblock) {
      return line_of_bits(page, facts.by_count[0]);
    } else if constexpr (How == Choice::emptiest) {
      for (unsigned used = 0; used < Tables::kCells; ++used)
        if (facts.by_count[used] != 0) return line_of_bits(page, facts.by_count[used]);
      return kNoLine;
    } else {
      return line_of_bits(page, facts.roomy);
    }
  }

  template <Choice How>
  CellId find(Find<How, Level::cell, Level::page> /*operation*/, PageId page) {
    auto &facts = this->facts_[number(page)];
    if (facts.roomy == 0) return kNoCell;
    std::uint64_t bits = facts.roomy;
    if constexpr (How == Choice::cyclic) {
      if (const std::uint64_t later = bits >> facts.cursor << facts.cursor; later != 0)
        bits = later;
      facts.cursor = static_cast<std::uint8_t>(std::countr_zero(bits));
    }
    return take(line_of_bits(page, bits));
  }

  template <Choice How, Level X>
  auto find(Find<How, X, Level::heap> operation) {
    constexpr bool kWantsEmpty = How == Choice::newblock || How == Choice::emptiest;
    if constexpr (kWantsEmpty)
      if (!has_empty(operation) && may_grow_for_layout()) grow();
    auto found = find_in_heap(operation);
    if (found == nothing(operation) && How != Choice::newblock) {
      grow();
      found = find_in_heap(operation);
    }
    return found;
  }
  // A free cell of the line; kNoCell if it is full.
  CellId take(LineId line) { return find(Lowest<Level::cell, Level::line>{}, line); }
  template <Choice How, Level X, Level Y>
  static constexpr auto nothing(Find<How, X, Y> /*operation*/) {
    if constexpr (X == Level::cell)
      return kNoCell;
    else if constexpr (X == Level::line)
      return kNoLine;
    else
      return kNoPage;
  }

  // A page without a node, whatever the ratio; for movers.
  PageId empty_page() {
    constexpr Newblock<Level::page, Level::heap> kNewPage;
    if (!has_empty(kNewPage)) grow();
    return find_in_heap(kNewPage);
  }

  // The cell becomes free. Its node has been destroyed.
  void free(CellId cell) {
    poison(address(cell), sizeof(Node));
    this->change(Numbers::line_of(cell), 0, this->bit(cell));
  }

  // The same of several cells of a line.
  void free(LineId line, Mask cells) {
    for (Mask left = cells; left != 0; left = static_cast<Mask>(left & (left - 1)))
      poison(address(Numbers::cell(line, static_cast<std::uint32_t>(std::countr_zero(left)))),
             sizeof(Node));
    this->change(line, 0, cells);
  }

  // Puts one page more at the end.
  PageId grow() {
    const PageId page{this->pages()};
    if (this->pages() + std::size_t{1} >= Tables::kMostPages) throw std::bad_alloc();
    cells_.grow_to((std::size_t{number(page)} + 1) * Numbers::kGeometry.page_bytes,
                   Tables::kMostPages * Numbers::kGeometry.page_bytes);
    this->add_page();
    return page;
  }

  // Takes the empty pages at the end out of the heap and gives their memory back. How many they were.
  std::uint32_t trim() {
    const std::uint32_t before = this->pages();
    while (this->pages() > 1 && this->count(PageId{this->pages() - 1}) == 0) this->drop_last_page();
    cells_.forget(std::size_t{this->pages()} * Numbers::kGeometry.page_bytes,
                  std::size_t{before} * Numbers::kGeometry.page_bytes);
    return before - this->pages();
  }

private:
  template <Choice How, Level X>
  auto find_in_heap(Find<How, X, Level::heap> /*operation*/) {
    if constexpr (X == Level::cell) {
      const CellId cell{this->cell_set_.top(0)};
      if (number(cell) == kNobody) return kNoCell;
      this->use(cell);
      return cell;
    } else if constexpr (X == Level::line) {
      return LineId{ranked<How>(this->line_set_)};
    } else {
      return PageId{ranked<How>(this->page_set_)};
    }
  }

  // Whether the heap has an empty X.
  template <Choice How, Level X>
  bool has_empty(Find<How, X, Level::heap> /*operation*/) const {
    if constexpr (X == Level::line)
      return this->line_set_.top(0) != kNobody;
    else
      return this->page_set_.top(0) != kNobody;
  }
  template <Choice How, typename Set>
  static std::uint32_t ranked(const Set &set) {
    if constexpr (How == Choice::newblock)
      return set.top(0);
    else if constexpr (How == Choice::emptiest)
      return set.lowest();
    else if constexpr (How == Choice::fullest) {
      return set.highest();
    } else {
      // Any: what is in use before what is empty, so that empty blocks stay whole.
      const std::uint32_t used = set.lowest(1);
      return used != kNobody ? used : set.top(0);
    }
  }

  static LineId line_of_bits(PageId page, std::uint64_t bits) {
    if (bits == 0) return kNoLine;
    return Numbers::line(page, static_cast<std::uint32_t>(std::countr_zero(bits)));
  }

  MappedReserve cells_;
  double bound_ratio_ = 0;
};

} // namespace adcock::move
