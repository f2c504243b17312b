// MLIST in blocks with gaps: what the thesis names among the clusterings that it leaves untried (Adcock 2009, 6.3.2).
#include "abut/move/gapped_lists.hpp"
#include "move/mlist_heap.hpp"

namespace bench {
namespace {

using namespace abut::move; // NOLINT(google-build-using-namespace): this is what it is about
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

} // namespace

bool run_gapped_lists(const MlistSettings &settings) {
  if (settings.mover != "gaps") return false;
  switch (settings.block) {
  case 64: MlistProgram<GapLists<64>>(settings).run(); break;
  case 128: MlistProgram<GapLists<128>>(settings).run(); break;
  case 256: MlistProgram<GapLists<256>>(settings).run(); break;
  case 1024: MlistProgram<GapLists<1024>>(settings).run(); break;
  default: MlistProgram<GapLists<4096>>(settings).run(); break;
  }
  return true;
}

} // namespace bench
