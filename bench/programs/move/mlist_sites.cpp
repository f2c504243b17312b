// MLIST with strategies where nodes are inserted (Adcock 2009, chapter 4): figures 7.22 to 7.25, in small.
#include "move/mlist_heap.hpp"

namespace bench {
namespace {

using namespace adcock::move; // NOLINT(google-build-using-namespace): this is what it is about
using namespace grammar;

template <typename Insert>
class SiteLists : public MlistHeap<Insert::needs()> {
  using Base = MlistHeap<Insert::needs()>;
  using Heap = typename Base::Heap;

public:
  explicit SiteLists(const MlistSettings &settings) : Base(settings), site_(this->heap_) {}

  void erase(std::uint32_t list, std::uint64_t index, Checksum &sum) {
    this->cut(this->walk(list, index, sum));
  }
  void insert(std::uint32_t list, std::uint64_t index, std::uint32_t data, Checksum &sum) {
    const Place place = walk_noting(list, index, sum);
    site_.place(this->link(place));
    CellId cell = this->spare_;
    const CellId better = Insert::allocate(this->heap_, site_, cell);
    if (found(better) && better != cell) {
      this->heap_.free(cell);
      cell = better;
    }
    this->put(place, cell, data);
  }
  void work(std::uint64_t /*done*/) {}

private:
  Place walk_noting(std::uint32_t list, std::uint64_t index, Checksum &sum) {
    if constexpr (Insert::kTrail == 0 && !Insert::kNotesRoom) {
      return this->walk(list, index, sum);
    } else {
      Place place{kNoCell, list};
      site_.begin();
      for (; index > 0; --index) {
        const CellId node = this->link(place);
        site_.pass(node);
        sum.add(this->heap_[node].data);
        place = {node, 0};
      }
      return place;
    }
  }

  Site<Heap, MlistLinks, Insert::kTrail, Insert::kNotesRoom> site_;
};

template <typename Insert>
bool run(const MlistSettings &settings, std::string_view name, Insert /*strategy*/) {
  if (settings.mover != name) return false;
  MlistProgram<SiteLists<Insert>>(settings).run();
  return true;
}

} // namespace

bool run_list_sites(const MlistSettings &settings) {
  return run(settings, "sites-next", (l | el) * (next_all | always)) ||
         run(settings, "sites-last", (l | el) * (last_non_full | always)) ||
         run(settings, "sites-first", (l | el) * (first_non_full | always)) ||
         run(settings, "sites-both", (l | el) * ((last_non_full & next<1>) | always)) ||
         run(settings, "sites-beside", (l | el) * ((last<1> & next<1>) | always)) ||
         run(settings, "sites-pages", (p | ep) * ((last<1> & next<1>) | always)) ||
         run(settings, "sites-ccmalloc",
             (l | nlip | el) * ((last<1> & next<1>) | (last<1> & next<1>) | always));
}

} // namespace bench
