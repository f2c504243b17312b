// Which of the free page runs serves a request.
#pragma once

#include "allocators/layers/concepts.hpp"
#include "allocators/layers/ordered_list.hpp"
#include "base/list.hpp"

namespace abut::layers {

// A list for each length, and one for all that are longer: the shortest that suffices, the one freed last first
// (Vam's free lists of consecutive pages, section 3.2).
template <class Record>
class RunsByLength {
public:
  Record *find(Pages pages) {
    for (uint32_t n = pages.n; n < kLists; ++n)
      if (Record *run = runs_[n].front()) return run;
    Record *best = nullptr;
    for (Record *run = runs_[0].front(); run; run = Runs::after(run))
      if (run->run >= pages && (best == nullptr || run->run < best->run)) best = run;
    return best;
  }
  void add(Record *run) { list_of(run).push_front(run); }
  void remove(Record *run) { list_of(run).remove(run); }

private:
  using Runs = List<Record, &Record::link>;
  static constexpr uint32_t kLists = 32;
  Runs &list_of(const Record *run) { return runs_[run->run.n < kLists ? run->run.n : 0]; }

  Runs runs_[kLists]; // those of kLists pages and more are in the first
};

// One list in order of address, and the first that suffices (PHKmalloc).
template <class Record>
class RunsByAddress : public LowestFirst<Record> {
public:
  Record *find(Pages pages) {
    for (Record *run = this->front(); run; run = this->after(run))
      if (run->run >= pages) return run;
    return nullptr;
  }
};

} // namespace abut::layers
