#include "sim/settings.hpp"

#include "base/units.hpp"

#include <algorithm>

namespace abut::sim {
namespace {

using trace::Error;
using Why = std::optional<std::string>;

Why wrong_shape(const LevelSettings &level) {
  if (!is_power_of_two(level.line) || level.line < kLeastLine || level.line > kLongestLine)
    return "a line must be a power of two of at least 16 bytes";
  if (level.capacity == 0 || level.capacity % level.line != 0)
    return "the capacity must be a number of lines";
  if (level.lines() > kMostLines) return "it has more lines than can be simulated";
  if (level.ways > level.lines() || (level.ways != 0 && level.lines() % level.ways != 0))
    return "the lines do not divide into sets of so many ways";
  const uint32_t sector = level.sector_bytes();
  if (!is_power_of_two(sector) || sector > level.line || level.line / sector > kMostSectors)
    return "a line has 1, 2, 4 or 8 sectors";
  return {};
}

Why wrong_behaviour(const LevelSettings &level) {
  const uint32_t ways = level.ways_in_set();
  const bool ordered = level.policy == Policy::lru || level.policy == Policy::fifo;
  if (ways > kMostWays && !(ordered && level.sets() == 1))
    return "only lru and fifo, fully associative, can have so many ways";
  if (level.policy == Policy::plru && (!is_power_of_two(ways) || ways > 64))
    return "plru needs a power of two of ways, 64 at the most";
  if (level.degree == 0 || level.degree > kMostDegree)
    return "the degree of prefetching must be from 1 to 64";
  if (level.prefetch != Prefetch::none && level.inclusion == Inclusion::exclusive)
    return "an exclusive level holds what left the ones above, so it cannot prefetch";
  return {};
}

Why wrong_below(const LevelSettings &level, const LevelSettings &below) {
  if (below.line < level.line) return "the level below has shorter lines";
  if (below.inclusion == Inclusion::exclusive &&
      (below.line != level.line || below.sector_bytes() != below.line ||
       level.sector_bytes() != level.line))
    return "an exclusive level and those above it must have lines of one length, without sectors";
  if (below.sector_bytes() < level.sector_bytes()) return "the level below has shorter sectors";
  if (below.per_thread && !level.per_thread)
    return "a shared level cannot ask one that each thread has of its own";
  if (below.serves != Serves::all && below.serves != level.serves)
    return "the level below serves one side only";
  return {};
}

Why wrong_place(const std::vector<LevelSettings> &levels, const LevelSettings &level) {
  if (level.name.empty()) return "a level needs a name";
  if (find(levels, level.name) != &level) return "two levels have this name";
  const LevelSettings *at = &level;
  for (size_t steps = 0; !at->below.empty(); ++steps) {
    if (steps == levels.size()) return "it lies below itself";
    const LevelSettings *next = find(levels, at->below);
    if (next == nullptr) return "the level below it, '" + at->below + "', is not there";
    if (Why why = wrong_below(*at, *next)) return why;
    at = next;
  }
  return {};
}

bool serves_everyone(const std::vector<LevelSettings> &levels) {
  bool application = false;
  bool allocator = false;
  for (const LevelSettings &level : levels) {
    if (!is_top(levels, level)) continue;
    application |= level.serves != Serves::allocator;
    allocator |= level.serves != Serves::application;
  }
  return application && allocator;
}

Why ambiguous(const std::vector<LevelSettings> &levels, const LevelSettings &level) {
  if (!is_top(levels, level)) return {};
  if (level.inclusion == Inclusion::exclusive)
    return "an exclusive level holds what left the ones above, and there are none";
  for (const LevelSettings &other : levels) {
    const bool meet =
        other.serves == Serves::all || level.serves == Serves::all || other.serves == level.serves;
    if (&other != &level && is_top(levels, other) && meet)
      return "'" + other.name + "' serves the same references first";
  }
  return {};
}

} // namespace

const LevelSettings *find(const std::vector<LevelSettings> &levels, const std::string &name) {
  const auto found =
      std::find_if(levels.begin(), levels.end(),
                   [&name](const LevelSettings &level) { return level.name == name; });
  return found == levels.end() ? nullptr : &*found;
}

bool is_top(const std::vector<LevelSettings> &levels, const LevelSettings &level) {
  return std::none_of(levels.begin(), levels.end(),
                      [&level](const auto &other) { return other.below == level.name; });
}

std::optional<Error> check(const std::vector<LevelSettings> &levels) {
  if (levels.empty() || levels.size() > kMostLevels)
    return Error{"the caches", "there must be from 1 to 32 levels", ""};
  for (const LevelSettings &level : levels) {
    Why why = wrong_shape(level);
    if (!why) why = wrong_behaviour(level);
    if (!why) why = wrong_place(levels, level);
    if (!why) why = ambiguous(levels, level);
    if (why) return Error{"cache level '" + level.name + "'", *why, ""};
  }
  if (!serves_everyone(levels))
    return Error{"the caches", "one side's references have no level to go to",
                 "let a level serve that side, or all"};
  return {};
}

// Alone it is a whole tree, which must serve both sides; so whom it serves is not checked.
trace::Result<LevelSettings> shape_of(const LevelSettings &level) {
  LevelSettings shape;
  shape.name = level.name;
  shape.capacity = level.capacity;
  shape.line = level.line;
  shape.ways = level.ways;
  shape.per_thread = level.per_thread;
  if (std::optional<trace::Error> error = check({shape})) return *error;
  shape.serves = level.serves;
  return shape;
}

} // namespace abut::sim
