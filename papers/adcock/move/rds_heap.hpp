// A heap of cells in lines in pages, for nodes of one type (Adcock 2009, 4.2.1). It hands out cells by operations and
// keeps beside the cells only what those operations need; the lines hold nothing but nodes.
#pragma once

#include "parts/heap_finding.hpp"

#include <new>

namespace adcock::move {

template <typename Node, Geometry Wanted = Geometry{}, Needs What = Needs{}>
class RdsHeap : public HeapFinding<sizeof(Node), Wanted, What> {
  using Finding = HeapFinding<sizeof(Node), Wanted, What>;

public:
  using NodeType = Node;
  using Numbers = typename Finding::Numbers;
  using Mask = typename Finding::Mask;
  static constexpr std::size_t kMostCells = std::size_t{1} << 28;

  // Room for `most` cells; memory is taken as it is needed, a page at a time.
  explicit RdsHeap(std::size_t most = kMostCells) : Finding(most) {
    grow();
    this->use(kNoCell); // its number means: no cell
    this->forget_one();
  }

  Node &operator[](CellId cell) {
    this->check_in_use(cell);
    return *static_cast<Node *>(address(cell));
  }
  const Node &operator[](CellId cell) const {
    this->check_in_use(cell);
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
  void prefer_huge_pages() {
    cells_.prefer_huge_pages();
    this->prefer_huge_tables();
  }
  bool may_grow_for_layout() const {
    return bound_ratio_ <= 0 || double(this->pages() + 1) * Numbers::kCellsPerPage <=
                                    bound_ratio_ * double(this->nodes());
  }

  // ---- finding ----

  using Finding::nothing;

  // Carries out an operation within a block: a LineId, a PageId, or nothing for the heap. Gives a CellId, which is then
  // in use, a LineId or a PageId; or kNoCell, kNoLine, kNoPage.
  template <Choice How, Level X, Level Y, typename Block>
  auto find(Find<How, X, Y> operation, Block within) {
    return this->find_within(operation, within);
  }
  template <Choice How, Level X>
  auto find(Find<How, X, Level::heap> operation) {
    constexpr bool kWantsEmpty = How == Choice::newblock || How == Choice::emptiest;
    if constexpr (kWantsEmpty)
      if (!this->has_empty(operation) && may_grow_for_layout()) grow();
    auto found = this->find_in_heap(operation);
    if (found == Finding::nothing(operation) && How != Choice::newblock) {
      grow();
      found = this->find_in_heap(operation);
    }
    return found;
  }
  // A free cell of the line; kNoCell if it is full.
  CellId take(LineId line) { return this->take_lowest(line); }

  // A page without a node, whatever the ratio; for movers.
  PageId empty_page() {
    constexpr Newblock<Level::page, Level::heap> kNewPage;
    if (!this->has_empty(kNewPage)) grow();
    return this->find_in_heap(kNewPage);
  }

  // The cell becomes free. Its node has been destroyed.
  void free(CellId cell) {
    poison(address(cell), sizeof(Node));
    this->unuse(cell);
  }

  // The same of several cells of a line.
  void free(LineId line, Mask cells) {
    if constexpr (kChecks)
      for (Mask left = cells; left != 0; left = static_cast<Mask>(left & (left - 1)))
        poison(address(Numbers::cell(line, static_cast<std::uint32_t>(std::countr_zero(left)))),
               sizeof(Node));
    this->unuse(line, cells);
  }

  // Puts one page more at the end.
  PageId grow() {
    const PageId page{this->pages()};
    if (this->pages() + std::size_t{1} >= this->most_pages()) throw std::bad_alloc();
    cells_.grow_to((std::size_t{number(page)} + 1) * Numbers::kGeometry.page_bytes,
                   this->most_pages() * Numbers::kGeometry.page_bytes);
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
  MappedReserve cells_;
  double bound_ratio_ = 0;
};

} // namespace adcock::move
