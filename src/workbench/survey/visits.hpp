// Which fields of an object are used together: a visit is a run of accesses to it between those to a few others.
#pragma once

#include "trace/rows.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace abut::report {

class Visits {
public:
  static constexpr size_t kSets = 8; // that are kept for a context
  // Words of 8 bytes, a bit each up to 512 bytes, and how many visits used these and no others, about: what is rare is
  // forgotten (Misra and Gries, "Finding repeated elements", 1982).
  struct Set {
    uint64_t words = 0;
    uint64_t visits = 0;
  };

  void add(uint64_t object, uint32_t context, uint64_t offset, uint32_t size) {
    const uint64_t first = offset / 8;
    if (first >= 64) return;
    const uint64_t last = std::min<uint64_t>((offset + size - 1) / 8, 63);
    const uint64_t words = (~uint64_t{0} >> (63 - last)) & (~uint64_t{0} << first);
    for (Visit &visit : recent_)
      if (visit.object == object) {
        visit.words |= words;
        return;
      }
    end(recent_[next_]);
    recent_[next_] = {object, context, words};
    next_ = (next_ + 1) % recent_.size();
  }

  void finish() {
    for (Visit &visit : recent_) end(visit);
  }

  const std::vector<std::array<Set, kSets>> &contexts() const { return contexts_; }

private:
  struct Visit {
    uint64_t object = 0;
    uint32_t context = 0;
    uint64_t words = 0;
  };

  void end(Visit &visit) {
    if (visit.object == 0) return;
    visit.object = 0;
    auto &sets = trace::row_of(contexts_, visit.context);
    Set *free = nullptr;
    for (Set &set : sets) {
      if (set.visits != 0 && set.words == visit.words) {
        ++set.visits;
        return;
      }
      if (set.visits == 0) free = &set;
    }
    if (free != nullptr)
      *free = {visit.words, 1};
    else
      for (Set &set : sets) --set.visits;
  }

  std::array<Visit, 4> recent_{};
  size_t next_ = 0;
  std::vector<std::array<Set, kSets>> contexts_{1};
};

} // namespace abut::report
