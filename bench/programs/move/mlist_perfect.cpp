// MLIST with layouts that are put right at every update (Adcock 2009, 6.3): figures 7.12, 7.28 and 7.29. Blocks are of
// any of four sizes.
#include "adcock/move/clustered_list.hpp"
#include "move/mlist_heap.hpp"

namespace bench {
namespace {

using namespace adcock::move; // NOLINT(google-build-using-namespace): this is what it is about

template <std::uint32_t BlockBytes, Order Sorted, Overflow Over>
class PerfectLists
    : public MlistHeap<
          ClusteredList<RdsHeap<MlistNode, kMlistShape>, MlistLinks, Sorted, Over>::needs(),
          Geometry{64, BlockBytes}> {
  using Base =
      MlistHeap<ClusteredList<RdsHeap<MlistNode, kMlistShape>, MlistLinks, Sorted, Over>::needs(),
                Geometry{64, BlockBytes}>;
  using Heap = typename Base::Heap;
  using Layout = ClusteredList<Heap, MlistLinks, Sorted, Over>;

public:
  explicit PerfectLists(const MlistSettings &settings)
      : Base(settings),
        layout_(this->heap_, this->roots_.data(), static_cast<std::uint32_t>(settings.lists),
                static_cast<unsigned>(Layout::kMost * settings.least / 100)) {}

  void built() {
    Base::built();
    for (std::uint32_t list = 0; list < this->roots_.size(); ++list) layout_.lay_out_list(list);
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

template <Order Sorted, Overflow Over>
bool run(const MlistSettings &settings, std::string_view name) {
  if (settings.mover != name) return false;
  switch (settings.block) {
  case 64: MlistProgram<PerfectLists<64, Sorted, Over>>(settings).run(); break;
  case 256: MlistProgram<PerfectLists<256, Sorted, Over>>(settings).run(); break;
  case 1024: MlistProgram<PerfectLists<1024, Sorted, Over>>(settings).run(); break;
  default: MlistProgram<PerfectLists<4096, Sorted, Over>>(settings).run(); break;
  }
  return true;
}

} // namespace

bool run_perfect_lists(const MlistSettings &settings) {
  return run<Order::strict, Overflow::simple>(settings, "strict") ||
         run<Order::non_strict, Overflow::simple>(settings, "loose") ||
         run<Order::strict, Overflow::vcl>(settings, "strict-vcl") ||
         run<Order::non_strict, Overflow::vcl>(settings, "loose-vcl");
}

} // namespace bench
