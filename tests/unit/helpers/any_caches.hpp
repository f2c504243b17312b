// Caches and references made out of any bytes, and what must hold of whatever they count.
#pragma once

#include "sim/tree/optimum.hpp"
#include "sim/tree/tree.hpp"
#include "sim/tree/utilisation.hpp"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace abut::test {

// Takes numbers off the front of some bytes; 0 when there are none left.
class Bytes {
public:
  explicit Bytes(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool empty() const { return bytes_.empty(); }
  uint8_t byte() {
    if (bytes_.empty()) return 0;
    const uint8_t value = bytes_[0];
    bytes_ = bytes_.subspan(1);
    return value;
  }
  uint32_t below(uint32_t limit) { return byte() % limit; }

private:
  std::span<const uint8_t> bytes_;
};

// A level below the last one of `levels`: mostly one that can be there.
inline sim::LevelSettings any_level(Bytes &bytes, const std::vector<sim::LevelSettings> &levels) {
  const bool top = levels.empty();
  sim::LevelSettings level;
  level.name = "L" + std::to_string(levels.size());
  level.inclusion = static_cast<sim::Inclusion>(bytes.below(top ? 2 : 3));
  const bool exclusive = level.inclusion == sim::Inclusion::exclusive;
  const uint32_t least = top ? 16 : levels.back().line;
  level.line = exclusive ? least : least << bytes.below(3);
  if (!exclusive && bytes.below(4) == 0) level.sector = level.line / (1U << bytes.below(4));
  level.policy = static_cast<sim::Policy>(bytes.below(5));
  level.ways = level.policy == sim::Policy::plru ? 1U << bytes.below(4) : bytes.below(9);
  level.capacity =
      uint64_t{level.line} * (level.ways == 0 ? 1 : level.ways) * (1 + bytes.below(20));
  level.prefetch = static_cast<sim::Prefetch>(exclusive ? 0 : bytes.below(4));
  level.degree = bytes.below(16);
  const uint8_t flags = bytes.byte();
  level.write_back = (flags & 1) != 0;
  level.write_allocate = (flags & 2) != 0;
  level.per_thread = (flags & 4) != 0 && (top || levels.back().per_thread);
  level.classify = (flags & 8) != 0;
  return level;
}

inline std::vector<sim::LevelSettings> any_levels(Bytes &bytes) {
  std::vector<sim::LevelSettings> levels;
  for (uint32_t count = 1 + bytes.below(3); count != 0; --count) {
    sim::LevelSettings level = any_level(bytes, levels);
    if (!levels.empty()) levels.back().below = level.name;
    levels.push_back(level);
  }
  return levels;
}

struct Columns {
  std::vector<uint64_t> addresses;
  std::vector<uint32_t> sizes;
  std::vector<sim::Kind> kinds;
  std::vector<uint32_t> threads;

  sim::References all() const { return {addresses, sizes, kinds, threads, {}}; }
};

inline Columns any_references(Bytes &bytes) {
  Columns columns;
  while (!bytes.empty()) {
    const uint8_t first = bytes.byte();
    const uint8_t second = bytes.byte();
    // Mostly near each other; some at the far end of what there is.
    const uint64_t base = first == 255 ? ~uint64_t{0} - 300 : 0;
    columns.addresses.push_back(base + uint64_t{first} * 16 + second % 32);
    columns.sizes.push_back(first == 7 && second == 200 ? UINT32_MAX : second / 8);
    columns.kinds.push_back(second);
    columns.threads.push_back(first % 3);
  }
  return columns;
}

// What is wrong, if anything. Settings that cannot be are refused, which is right.
inline std::optional<std::string> check_any_caches(std::span<const uint8_t> input) {
  Bytes bytes(input);
  const std::vector<sim::LevelSettings> levels = any_levels(bytes);
  const Columns columns = any_references(bytes);
  trace::Result<std::unique_ptr<sim::Tree>> made = sim::Tree::make(levels);
  if (!made) return {};
  const auto tree = made.take();
  tree->take(columns.all());
  for (size_t number = 0; number < levels.size(); ++number) {
    const sim::Counts counts = tree->counts(number);
    for (size_t kind = 0; kind < sim::kKinds; ++kind)
      if (counts.misses[kind] > counts.accesses[kind]) return "more misses than accesses";
    uint64_t classes = 0;
    for (const auto &side : counts.classes)
      classes = std::accumulate(side.begin(), side.end(), classes);
    const uint64_t misses =
        std::accumulate(counts.misses.begin(), counts.misses.end(), uint64_t{0});
    if (levels[number].classify && classes != misses) return "classes do not sum to misses";
  }
  const auto optimum = sim::Optimum::make(levels[0]).take();
  optimum->take(columns.all());
  const auto least = optimum->solve();
  const sim::Counts top = tree->counts(0);
  // The optimum is one among caches that every miss fills.
  const bool comparable = levels[0].write_allocate && levels[0].prefetch == sim::Prefetch::none &&
                          levels[0].sector_bytes() == levels[0].line;
  if (comparable && least.misses[0] + least.misses[1] >
                        std::accumulate(top.misses.begin(), top.misses.end(), uint64_t{0}))
    return "fewer misses than there can be";
  const auto used = sim::Utilisation::make(levels[0]).take();
  used->take(columns.all());
  const sim::UtilisationCounts use = used->counts();
  if (use.used[0] + use.used[1] > (use.lines[0] + use.lines[1]) * used->line_bytes())
    return "more bytes used than were brought in";
  return {};
}

} // namespace abut::test
