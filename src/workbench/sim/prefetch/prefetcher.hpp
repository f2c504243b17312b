// Prefetchers: which lines a level should bring in before they are asked for. None leaves the page of 4 KiB that it
// was shown, as none in hardware does that knows physical addresses alone, but for a stream that is made so.
#pragma once

#include "base/units.hpp"
#include "sim/settings.hpp"

#include <array>
#include <cstdint>
#include <memory>

namespace abut::sim {

// The lines to bring in, at most `kMostDegree`.
struct Targets {
  std::array<uint64_t, kMostDegree> lines{};
  uint32_t count = 0;

  void add(uint64_t line) {
    if (count < lines.size()) lines[count++] = line;
  }
};

class Prefetcher {
public:
  Prefetcher(const Prefetcher &) = delete;
  Prefetcher &operator=(const Prefetcher &) = delete;
  virtual ~Prefetcher() = default;

  // A line was asked for. `triggers`: it was not there, or was there only because it had been prefetched.
  virtual void observe(uint64_t line, bool triggers, Targets &targets) = 0;

protected:
  explicit Prefetcher(const LevelSettings &level)
      : lines_in_page_(level.line < kPageBytes ? kPageBytes / level.line : 1),
        degree_(level.degree) {}

  uint64_t page_of(uint64_t line) const { return line / lines_in_page_; }

  // Lines from `line` on by `stride`, as far as the page goes.
  void run(uint64_t line, int64_t stride, uint32_t count, Targets &targets) const {
    const uint64_t page = page_of(line);
    for (uint32_t step = 0; step < count; ++step) {
      line += static_cast<uint64_t>(stride);
      if (page_of(line) != page) return;
      targets.add(line);
    }
  }

  uint32_t degree() const { return degree_; }

private:
  uint64_t lines_in_page_;
  uint32_t degree_;
};

// Null where the level has none.
std::unique_ptr<Prefetcher> make_prefetcher(const LevelSettings &level);

} // namespace abut::sim
