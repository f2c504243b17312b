// How much of each line is used between its coming and its leaving: what is not used was brought in vain, and is what a
// better layout can win back. The same of pages, whose parts are then lines.
//
// A line is divided into 64 parts, or in bytes where it has no more than 64. It counts for the side and the owner
// whose reference brought it; those that are still there at the end count, too.
#pragma once

#include "sim/cache/counts.hpp"
#include "sim/policy/full.hpp"
#include "sim/policy/ordered.hpp"
#include "sim/settings.hpp"
#include "sim/tree/by_thread.hpp"
#include "trace/result.hpp"

#include <memory>
#include <variant>
#include <vector>

namespace abut::sim {

struct UtilisationCounts {
  std::array<uint64_t, kSides> lines{};
  std::array<uint64_t, kSides> used{}; // bytes
  std::vector<uint64_t> lines_by_owner;
  std::vector<uint64_t> used_by_owner; // bytes
  // Lines of which no byte, 1/64 of the bytes ... all of them were used.
  std::array<uint64_t, 65> by_parts{};
};

// One LRU cache whose lines' used bytes are kept.
class UsedLines {
public:
  explicit UsedLines(const LevelSettings &settings);

  void take(const References &references);
  // Adds what was counted, with what the cache holds now.
  void add_to(UtilisationCounts &counts) const;

private:
  // What is known of a line that is there.
  struct Held {
    uint64_t used = 0; // a bit a part
    Owner owner = 0;
    Side side = Side::application;
    bool there = false;
  };

  void use(uint64_t first, uint64_t last, const Reference &reference);
  Held &held(uint64_t line, const Reference &reference);
  template <typename Lines>
  Held &held_in(Lines &lines, uint64_t line, const Reference &reference);
  void add(const Held &held, UtilisationCounts &counts) const;
  uint64_t parts(uint64_t first, uint64_t last) const;
  uint64_t line_bytes() const { return uint64_t{1} << line_shift_; }

  // A line that was used last in its set: using it again changes nothing of the order.
  struct Newest {
    uint64_t line = ~uint64_t{0};
    Held *held = nullptr;
  };

  SetIndex sets_;
  unsigned line_shift_;
  unsigned part_shift_;
  std::variant<Lru, FullLru> lines_;
  trace::NumberMap<uint32_t> slots_; // by line
  std::vector<Held> held_;
  std::vector<uint32_t> free_;
  std::vector<Newest> newest_; // lines of one set share a place
  UtilisationCounts counts_;
};

class Utilisation final : public Consumer {
public:
  // Of an LRU cache of this capacity, line and ways, of each thread and for one side where the level says so; the rest
  // of the settings is not looked at.
  static trace::Result<std::unique_ptr<Utilisation>> make(const LevelSettings &settings);

  void take(const References &references) override;

  // With what the cache holds now.
  UtilisationCounts counts() const;
  uint64_t line_bytes() const { return settings_.line; }

private:
  explicit Utilisation(const LevelSettings &settings) : settings_(settings) {}

  LevelSettings settings_;
  ByThread<UsedLines> threads_;
};

} // namespace abut::sim
