// Sets of at most sixteen lines, of which the one used longest ago leaves, each with the time at which it is there.
#pragma once

#include "sim/byte_marks.hpp"
#include "sim/time/huge_pages.hpp"
#include "sim/time/machine.hpp"

#include <bit>
#include <cstddef>

namespace abut::sim {

class LruSets {
public:
  static constexpr uint32_t kWays = ByteMarks::kCount; // at most
  struct Line {
    uint64_t tag = ~uint64_t{0};
    uint64_t ready : 63 = 0;
    uint64_t prefetched : 1 = 0; // and not asked for since
  };

  explicit LruSets(const TimedCache &shape)
      : ways_(shape.ways), mask_(shape.sets - 1),
        chance_(shape.index == Index::address ? 0
                : shape.index == Index::frame ? mask_ & ~uint64_t{kLinesInPage - 1}
                                              : mask_),
        sets_(shape.sets), lines_(size_t{shape.sets} * kWays) {}

  // Where a line is, if it is here.
  struct Place {
    uint64_t tag;
    size_t set;
    uint8_t mark;
  };
  Place place_of(uint64_t tag) const { return {tag, set_of(tag), mark_of(tag)}; }

  // The line, which becomes the one used last; null where it is not here.
  Line *use(const Place &place) {
    const int way = way_of(place);
    if (way == kNone) return nullptr;
    sets_[place.set].order.use(static_cast<uint64_t>(way));
    return &line_at(place.set, way);
  }

  // The same, where it mostly is the set's last used one.
  Line *use_again(const Place &place) {
    Line &last = line_at(place.set, static_cast<int>(sets_[place.set].order.last()));
    return last.tag == place.tag ? &last : use(place);
  }

  // The line, or the other of its pair, will be asked for in a moment. Inline: a call without effects would be left out.
  [[gnu::always_inline]] void fetch_ahead(uint64_t tag) const {
    const size_t at = set_of(tag) & ~size_t{1};
    __builtin_prefetch(&sets_[at]);
    const Line *lines = &lines_[at * kWays];
    for (size_t way = 0; way < 2 * kWays; way += 4) __builtin_prefetch(lines + way);
  }

  // Whether the line may be here: so says a byte of its name.
  bool may_hold(uint64_t tag) const { return sets_[set_of(tag)].marks.equal(mark_of(tag)) != 0; }

  bool holds(const Place &place) const { return way_of(place) != kNone; }

  // In place of the one used longest ago. The line must not be here.
  Line *insert(const Place &place, Ticks ready, bool prefetched) {
    Set &set = sets_[place.set];
    const size_t way = set.order.oldest(ways_);
    set.order.use(way);
    set.marks.set(way, place.mark);
    Line &line = line_at(place.set, static_cast<int>(way));
    line = {place.tag, ready, prefetched ? uint64_t{1} : 0};
    return &line;
  }

private:
  struct Set {
    ByteMarks marks; // a byte of each tag: what is not here is mostly known at once
    UseOrder order;
  };

  static constexpr uint64_t kSpread = 0x9e3779b97f4a7c15U; // bits over a word, times a number
  static constexpr uint64_t kLinesInPage = 64;
  // Pages within 128 KiB stay beside each other: their sets are found more quickly than if all were scattered.
  static constexpr uint64_t kLinesTogether = 2048;

  static constexpr int kNone = -1;

  const Line &line_at(size_t set, int way) const {
    return lines_[set * kWays + static_cast<size_t>(way)];
  }
  Line &line_at(size_t set, int way) { return lines_[set * kWays + static_cast<size_t>(way)]; }

  int way_of(const Place &place) const {
    for (uint32_t found = sets_[place.set].marks.equal(place.mark); found != 0; found &= found - 1)
      if (const int way = std::countr_zero(found); line_at(place.set, way).tag == place.tag)
        return way;
    return kNone;
  }

  size_t set_of(uint64_t tag) const {
    if (chance_ == 0) return tag & mask_; // the levels that are asked most often
    const uint64_t hash = tag / kLinesTogether * kSpread >> 32;
    return (tag & mask_) ^ (hash & chance_);
  }

  static uint8_t mark_of(uint64_t tag) { return static_cast<uint8_t>(tag * kSpread >> 56); }

  uint32_t ways_;
  uint64_t mask_;
  uint64_t chance_; // the bits of a set's number that follow from a hash
  HugeVector<Set> sets_;
  HugeVector<Line> lines_;
};

} // namespace abut::sim
