// The fewest misses that any policy could have (Belady 1966, MIN): of the lines in a full set, the one whose next use
// is furthest leaves. It has to know what comes, so all references are kept until they are asked about: 8 bytes for
// each that is not of the same line as the one before, and 4 more while it is solved.
#pragma once

#include "sim/reference.hpp"
#include "sim/settings.hpp"
#include "sim/tree/by_thread.hpp"
#include "trace/result.hpp"

#include <array>
#include <memory>
#include <vector>

namespace abut::sim {

class Optimum final : public Consumer {
public:
  // Of a cache of this capacity, line and ways, of each thread and for one side where the level says so, and where every
  // miss brings its line in.
  static trace::Result<std::unique_ptr<Optimum>> make(const LevelSettings &settings);

  void take(const References &references) override;

  struct Answer {
    std::array<uint64_t, kSides> accesses{};
    std::array<uint64_t, kSides> misses{};
    bool whole = true; // false: there were more references than can be kept; the rest is left out
  };
  Answer solve() const;

  static constexpr size_t kMostKept = size_t{1} << 28;

private:
  explicit Optimum(const LevelSettings &settings) : settings_(settings) {}

  // What one cache was asked for.
  struct Kept {
    std::vector<uint64_t> uses; // a line and, in the lowest bit, a side
    uint64_t last = ~uint64_t{0};
  };

  void take(const References &references, Kept &kept);
  void use(uint64_t line, Side side, Kept &kept);
  void solve(const Kept &kept, Answer &answer) const;

  LevelSettings settings_;
  ByThread<Kept> threads_;
  std::array<uint64_t, kSides> accesses_{};
  size_t count_ = 0; // of all that is kept
  bool whole_ = true;
};

} // namespace abut::sim
