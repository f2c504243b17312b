// What one thread's heap has set aside for objects that are to lie beside their friends.
//
// The ladder, for an object whose friend is known: the cell reserved right after the friend; else a hole on the
// friend's line or page; else, while reserved cells are few against the whole heap, a new run, one step longer or
// shorter than the friend's; else anywhere. A friend in a size page gets a run at once (after Chilimbi's ccmalloc, and the runs of a reap).
#pragma once

#include "heap/heap.hpp"
#include "placement/friends/run.hpp"

namespace abut::near {

inline constexpr size_t kObjectMax =
    256; // bytes: four lines; larger objects gain little from a neighbour
inline constexpr unsigned kSizes = kObjectMax / heap::Granules::kBytes;

class NearHeap {
public:
  explicit NearHeap(heap::LocalHeap *heap) : heap_(heap) {}

  // The cell at `cell` if it is reserved for an object of `size` granules, else null.
  void *take_reserved(Address cell, unsigned size) {
    return is_reserved_at(*heap_, cell, size) ? near::take_reserved(*heap_, cell, size) : nullptr;
  }

  enum class Where : uint8_t { nowhere, reserved, hole, run, near_anyway, over_budget, not_ours };
  struct Placed {
    void *block = nullptr;
    Where where = Where::nowhere;
  };

  // A block of `size` granules as close as may be to the one that `friend_address` points into.
  Placed place(Address friend_address, unsigned size);

  // Gives back reserved cells on pages where most of what was placed has been freed; or all. Under the heap's lock.
  void give_back(bool all);

private:
  // Runs of one length share pages; see kRunCells. Level 0 is no run.
  static constexpr unsigned kLevels = 21;
  static constexpr unsigned kDrawnTogether = 1024;

  struct Carve {
    Address next = 0; // the page's next run
    Address end = 0;
  };

  // When to search for reserved cells that are of no use any more: after ever more requests while none are found.
  struct Search {
    uint32_t longest;
    uint32_t wait = 1, waited = 0;

    bool is_due() {
      if (++waited < wait) return false;
      waited = 0;
      wait = wait * 2 < longest ? wait * 2 : longest;
      return true;
    }
  };

  Placed place_after_sized(Address friend_address, unsigned size);
  Placed place_elsewhere(heap::LocalHeap *owner, Address friend_address, unsigned size, bool same);
  Placed open_run(unsigned size, unsigned level);
  bool begin_page(unsigned size, unsigned level, Carve &carve);
  void give_back_rest(unsigned size, Carve &carve);
  bool make_room();
  bool give_back_page(Address page, bool all);
  void give_back_pages(size_t pages, bool all);
  bool may_reserve();
  void give_back_stale(Search &search);
  bool is_carved(Address page) const;
  unsigned level_after(unsigned level, unsigned size);
  int64_t draw();
  size_t budget() const;

  size_t &set_aside() { return above(*heap_).set_aside; }

  heap::LocalHeap *heap_;
  uint32_t random_ = 1;
  uint32_t drawn_ = 0; // so often
  Carve carves_[kSizes + 1][kLevels];

  // The pages that were cut up, in the order of their cutting.
  Address *pages_ = nullptr;
  size_t page_count_ = 0;
  size_t page_room_ = 0;
  size_t next_page_ = 0; // where give_back() goes on

  Search search_over_{8}, search_below_{64}; // the budget
};

// The near heap that belongs to a thread's heap; null where memory is exhausted.
NearHeap *make_near_heap(heap::LocalHeap *heap);
inline NearHeap *near_heap_of(heap::LocalHeap *heap) {
  NearHeap *made = above(*heap).near_heap;
  return made != nullptr ? made : make_near_heap(heap);
}

} // namespace abut::near
