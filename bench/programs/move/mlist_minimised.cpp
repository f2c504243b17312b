// MLIST whose lists lie in as few blocks as can be, in any order (Adcock 2009, 6.3.1: Pm). Nodes have a link back.
#include "adcock/move/minimised.hpp"
#include "move/mlist_heap.hpp"

namespace bench {
namespace {

using namespace adcock::move; // NOLINT(google-build-using-namespace): this is what it is about

struct LinkedNode {
  CellId next;
  std::uint32_t data;
  CellId previous;
};
using LinkedLinks = IndexLinks<&LinkedNode::next>;

template <std::uint32_t BlockBytes>
class Minimised {
  using Plain = RdsHeap<LinkedNode, Geometry{64, BlockBytes}>;
  using Heap = RdsHeap<LinkedNode, Geometry{64, BlockBytes},
                       MinimisedLists<Plain, LinkedLinks, &LinkedNode::previous>::needs()>;

public:
  explicit Minimised(const MlistSettings &settings)
      : roots_(settings.lists, kNoCell),
        layout_(heap_, roots_.data(), static_cast<std::uint32_t>(settings.lists)) {}

  void push_front(std::uint32_t list, std::uint32_t data) { put(list, kNoCell, data); }
  void built() { heap_.trim(); }
  void erase(std::uint32_t list, std::uint64_t index, Checksum &sum) {
    const CellId before = walk(list, index, sum);
    CellId &link = found(before) ? heap_[before].next : roots_[list];
    const CellId node = link;
    link = heap_[node].next;
    if (found(link)) heap_[link].previous = before;
    layout_.free(list, node);
  }
  void insert(std::uint32_t list, std::uint64_t index, std::uint32_t data, Checksum &sum) {
    put(list, walk(list, index, sum), data);
  }
  void work(std::uint64_t /*done*/) {}
  void lay_out() {}
  double ratio() const { return heap_.ratio(); }

private:
  // The node before the one of this number; kNoCell for the first.
  CellId walk(std::uint32_t list, std::uint64_t index, Checksum &sum) {
    CellId before = kNoCell;
    for (CellId node = roots_[list]; index > 0; --index) {
      sum.add(heap_[node].data);
      before = node;
      node = heap_[node].next;
    }
    return before;
  }
  void put(std::uint32_t list, CellId before, std::uint32_t data) {
    const CellId cell = layout_.allocate(list);
    CellId &link = found(before) ? heap_[before].next : roots_[list];
    heap_[cell] = LinkedNode{link, data, before};
    if (found(link)) heap_[link].previous = cell;
    link = cell;
  }

  Heap heap_;
  std::vector<CellId> roots_;
  MinimisedLists<Heap, LinkedLinks, &LinkedNode::previous> layout_;
};

} // namespace

bool run_minimised_lists(const MlistSettings &settings) {
  if (settings.mover != "minimised") return false;
  if (settings.block <= 64)
    MlistProgram<Minimised<64>>(settings).run();
  else if (settings.block <= 256)
    MlistProgram<Minimised<256>>(settings).run();
  else
    MlistProgram<Minimised<4096>>(settings).run();
  return true;
}

} // namespace bench
