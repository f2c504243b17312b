// How objects are used: which parts of a context's objects are hot, and which contexts' objects are used together.
#pragma once

#include "layout/edges.hpp"
#include "trace/rows.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace abut::report {

// The program's accesses by the offset in the object, in words of 8 bytes; the last bin has what lies behind.
class FieldHeat {
public:
  static constexpr size_t kBins = 65;

  struct Heat {
    std::array<uint64_t, kBins> reads{};
    std::array<uint64_t, kBins> writes{};
  };

  void add(uint32_t context, uint64_t offset, bool write) {
    Heat &heat = trace::row_of(contexts_, context);
    const size_t bin = offset / 8 < kBins - 1 ? offset / 8 : kBins - 1;
    ++(write ? heat.writes : heat.reads)[bin];
  }

  const std::vector<Heat> &contexts() const { return contexts_; }

private:
  std::vector<Heat> contexts_{1};
};

// Pairs of contexts whose objects the program used within a few objects of each other.
class CoAccess {
public:
  static constexpr size_t kWindow = 4; // objects

  void add(uint64_t object, uint32_t context) {
    if (object == recent_[newest_].object) return;
    for (const Used &used : recent_)
      if (used.object != 0 && used.object != object)
        pairs_.add(used.context < context ? used.context : context,
                   used.context < context ? context : used.context);
    newest_ = (newest_ + 1) % kWindow;
    recent_[newest_] = {object, context};
  }

  // Ends the counting. The smaller number first.
  place::EdgeList take() { return pairs_.take(); }

private:
  struct Used {
    uint64_t object = 0;
    uint32_t context = 0;
  };

  place::EdgeCounter pairs_{size_t{1} << 20};
  std::array<Used, kWindow> recent_{};
  size_t newest_ = 0;
};

} // namespace abut::report
