// MLIST in blocks of lists of their own: strictly in order, with the count in the block; and with gaps, which the thesis
// names among the clusterings that it leaves untried (Adcock 2009, 6.3.2).
#include "adcock/move/block_lists.hpp"
#include "adcock/move/gapped_lists.hpp"
#include "adcock/move/marked_heap.hpp"
#include "move/mlist_heap.hpp"

namespace bench {
namespace {

using namespace adcock::move; // NOLINT(google-build-using-namespace): this is what it is about
using PlainGaps = GappedLists<RdsHeap<MlistNode, kMlistShape>, MlistLinks>;

template <std::uint32_t BlockBytes>
class GapLists : public MlistHeap<PlainGaps::needs(), Geometry{64, BlockBytes}> {
  using Base = MlistHeap<PlainGaps::needs(), Geometry{64, BlockBytes}>;
  using Layout = GappedLists<typename Base::Heap, MlistLinks>;

public:
  explicit GapLists(const MlistSettings &settings)
      : Base(settings),
        layout_(this->heap_, this->roots_.data(), static_cast<std::uint32_t>(settings.lists)) {}

  void built() {
    Base::built();
    for (std::uint32_t list = 0; list < this->roots_.size(); ++list)
      layout_.lay_out(list, static_cast<unsigned>(this->settings_.least));
    this->heap_.trim();
  }
  void erase(std::uint32_t list, std::uint64_t index, Checksum &sum) {
    layout_.erase(list, this->walk(list, index, sum).owner);
  }
  void insert(std::uint32_t list, std::uint64_t index, std::uint32_t data, Checksum &sum) {
    layout_.insert(list, this->walk(list, index, sum).owner, [&](CellId cell) {
      this->heap_[cell] = MlistNode{kNoCell, data};
    });
  }
  void work(std::uint64_t /*done*/) {}

private:
  Layout layout_;
};

// Strictly in order.
template <std::uint32_t BlockBytes>
class OrderedLists {
  using Lists = BlockLists<MlistNode, MlistLinks, BlockBytes>;

public:
  explicit OrderedLists(const MlistSettings &settings)
      : roots_(settings.lists), building_(settings.lists),
        lists_(roots_.data(), static_cast<std::uint32_t>(settings.lists)) {
    // Nothing is there yet: the range is reserved with the first block.
    if (settings.huge) lists_.heap().free(lists_.heap().take());
    if (settings.huge) lists_.heap().prefer_huge_pages();
  }

  void push_front(std::uint32_t list, std::uint32_t data) { building_[list].push_back(data); }
  void built() {
    for (std::uint32_t list = 0; list < roots_.size(); ++list) {
      CellId last = kNoCell;
      for (auto data = building_[list].rbegin(); data != building_[list].rend(); ++data)
        last = lists_.insert(list, last, MlistNode{kNoCell, *data});
    }
    building_ = {};
  }
  void erase(std::uint32_t list, std::uint64_t index, Checksum &sum) {
    lists_.erase(list, walk(list, index, sum));
  }
  void insert(std::uint32_t list, std::uint64_t index, std::uint32_t data, Checksum &sum) {
    lists_.insert(list, walk(list, index, sum), MlistNode{kNoCell, data});
  }
  void work(std::uint64_t /*done*/) {}
  void lay_out() {}
  double ratio() const { return lists_.ratio(); }
  template <typename Look>
  void visit(std::uint32_t list, Look look) {
    for (CellId node = roots_[list]; found(node); node = lists_.heap()[node].next)
      look(&lists_.heap()[node]);
  }

private:
  // The node before the one of this number.
  CellId walk(std::uint32_t list, std::uint64_t index, Checksum &sum) {
    CellId before = kNoCell;
    CellId node = roots_[list];
    if (found(node)) lists_.heap().fetch_ahead(node);
    for (; index > 0; --index) {
      const MlistNode &here = lists_.heap()[node];
      sum.add(here.data);
      if (Lists::Heap::slot_of(node) == 1) lists_.heap().fetch_ahead(node);
      before = node;
      node = here.next;
    }
    return before;
  }

  std::vector<CellId> roots_;
  std::vector<std::vector<std::uint32_t>> building_;
  Lists lists_;
};

// With gaps that the nodes' links mark, and no table.
template <std::uint32_t BlockBytes>
class MarkedLists {
  using Heap = MarkedHeap<MlistNode, MlistLinks, Geometry{64, BlockBytes}>;

public:
  explicit MarkedLists(const MlistSettings &settings)
      : settings_(settings), roots_(settings.lists), building_(settings.lists),
        layout_(heap_, roots_.data(), static_cast<std::uint32_t>(settings.lists)) {
    if (!settings.huge) return;
    // The range is reserved with the first page.
    const CellId cell = heap_.take(Heap::Numbers::line(heap_.empty_page(), 0));
    heap_.prefer_huge_pages();
    heap_.free(cell);
  }

  void push_front(std::uint32_t list, std::uint32_t data) { building_[list].push_back(data); }
  void built() {
    for (std::uint32_t list = 0; list < roots_.size(); ++list) {
      CellId last = kNoCell;
      for (auto data = building_[list].rbegin(); data != building_[list].rend(); ++data)
        layout_.insert(list, last, [&](CellId cell) {
          heap_[cell].data = *data;
          last = cell;
        });
      layout_.lay_out(list, static_cast<unsigned>(settings_.least));
    }
    building_ = {};
  }
  void erase(std::uint32_t list, std::uint64_t index, Checksum &sum) {
    layout_.erase(list, walk(list, index, sum));
  }
  void insert(std::uint32_t list, std::uint64_t index, std::uint32_t data, Checksum &sum) {
    layout_.insert(list, walk(list, index, sum), [&](CellId cell) { heap_[cell].data = data; });
  }
  void work(std::uint64_t /*done*/) {}
  void lay_out() {}
  double ratio() const { return heap_.ratio(); }
  template <typename Look>
  void visit(std::uint32_t list, Look look) const {
    for (CellId node = roots_[list]; found(node); node = heap_[node].next) look(&heap_[node]);
  }

private:
  // The node before the one of this number.
  CellId walk(std::uint32_t list, std::uint64_t index, Checksum &sum) {
    CellId before = kNoCell;
    for (CellId node = roots_[list]; index > 0; --index) {
      const MlistNode &here = heap_[node];
      sum.add(here.data);
      before = node;
      node = here.next;
    }
    return before;
  }

  MlistSettings settings_;
  std::vector<CellId> roots_;
  std::vector<std::vector<std::uint32_t>> building_;
  Heap heap_;
  GappedLists<Heap, MlistLinks> layout_;
};

bool run_marked_lists(const MlistSettings &settings) {
  if (settings.mover != "marked") return false;
  switch (settings.block) {
  case 64: MlistProgram<MarkedLists<64>>(settings).run(); break;
  case 256: MlistProgram<MarkedLists<256>>(settings).run(); break;
  case 512: MlistProgram<MarkedLists<512>>(settings).run(); break;
  case 1024: MlistProgram<MarkedLists<1024>>(settings).run(); break;
  case 2048: MlistProgram<MarkedLists<2048>>(settings).run(); break;
  default: MlistProgram<MarkedLists<4096>>(settings).run(); break;
  }
  return true;
}

bool run_ordered_lists(const MlistSettings &settings) {
  if (settings.mover != "blocks") return false;
  switch (settings.block) {
  case 64: MlistProgram<OrderedLists<64>>(settings).run(); break;
  case 128: MlistProgram<OrderedLists<128>>(settings).run(); break;
  case 256: MlistProgram<OrderedLists<256>>(settings).run(); break;
  case 512: MlistProgram<OrderedLists<512>>(settings).run(); break;
  case 1024: MlistProgram<OrderedLists<1024>>(settings).run(); break;
  case 2048: MlistProgram<OrderedLists<2048>>(settings).run(); break;
  default: MlistProgram<OrderedLists<4096>>(settings).run(); break;
  }
  return true;
}

} // namespace

bool run_gapped_lists(const MlistSettings &settings) {
  if (run_ordered_lists(settings) || run_marked_lists(settings)) return true;
  if (settings.mover != "gaps") return false;
  switch (settings.block) {
  case 64: MlistProgram<GapLists<64>>(settings).run(); break;
  case 128: MlistProgram<GapLists<128>>(settings).run(); break;
  case 256: MlistProgram<GapLists<256>>(settings).run(); break;
  case 1024: MlistProgram<GapLists<1024>>(settings).run(); break;
  case 2048: MlistProgram<GapLists<2048>>(settings).run(); break;
  default: MlistProgram<GapLists<4096>>(settings).run(); break;
  }
  return true;
}

} // namespace bench
