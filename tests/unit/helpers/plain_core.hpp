// The rules of a core's time written out step by step over plain lists, with nothing of the code that they are held
// against but the settings: what is quick there is slow and plain here.
#pragma once

#include "sim/reference.hpp"
#include "sim/time/machine.hpp"

#include <algorithm>
#include <array>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace abut::test {

using namespace sim;

// 32 streams of lines of regions of 64; of those used equally long ago the first counts.
struct PlainStream {
  uint64_t degree;
  uint64_t trained;
  bool crosses;
  struct Track {
    uint64_t region = 0;
    std::set<int64_t> touched = {}; // of the region and of those on both sides
    std::set<int64_t> asked = {};
    uint64_t used = 0;

    uint64_t within(int64_t from, int64_t to) const {
      return static_cast<uint64_t>(
          std::distance(touched.lower_bound(from), touched.upper_bound(to)));
    }
    void move_to(uint64_t other) {
      region = other;
      for (auto *lines : {&touched, &asked})
        for (auto it = lines->begin(); it != lines->end();) {
          const int64_t away = (*it >> 6) - static_cast<int64_t>(other);
          it = away < -1 || away > 1 ? lines->erase(it) : std::next(it);
        }
    }
  };
  std::vector<Track> tracks = std::vector<Track>(32);
  uint64_t clock = 0;

  std::vector<uint64_t> observe(uint64_t number) {
    const auto line = static_cast<int64_t>(number);
    Track &track = choose(number);
    track.used = ++clock;
    if (track.touched.count(line) != 0) track = {number / 64, {}, {}, track.used};
    track.touched.insert(line);
    const uint64_t before = track.within(line - 31, line - 1);
    const uint64_t after = track.within(line + 1, line + 31);
    std::vector<uint64_t> targets;
    if (std::max(before, after) + 1 < trained) return targets;
    for (uint64_t ahead = 1; ahead <= degree; ++ahead) {
      const auto away = static_cast<int64_t>(ahead);
      const int64_t target = before >= after ? line + away : line - away;
      if (!crosses && target >> 6 != line >> 6) break;
      if (track.touched.count(target) != 0 || !track.asked.insert(target).second) continue;
      targets.push_back(static_cast<uint64_t>(target));
    }
    return targets;
  }

  Track &choose(uint64_t number) {
    const auto line = static_cast<int64_t>(number);
    const uint64_t region = number / 64;
    for (Track &track : tracks)
      if (track.used != 0 && track.region == region) return track;
    for (const bool up : {true, false})
      for (Track &track : tracks) {
        if (!crosses || track.used == 0 || track.region != (up ? region - 1 : region + 1)) continue;
        Track moved = track;
        moved.move_to(region);
        const auto [from, to] =
            up ? std::pair(line - 31, line - 1) : std::pair(line + 1, line + 31);
        if (moved.within(from, to) + 1 >= trained) return track = moved;
      }
    Track *oldest = &tracks[0];
    for (Track &track : tracks)
      if (track.used < oldest->used) oldest = &track;
    return *oldest = {region};
  }
};

// Each of 256 places has one instruction's addresses, of which the last four count.
struct PlainStride {
  uint64_t ahead;
  std::map<uint64_t, std::pair<uint64_t, std::vector<uint64_t>>> places = {};

  std::optional<uint64_t> observe(uint64_t code, uint64_t address) {
    auto &[owner, seen] = places[(code ^ code / 256) % 256];
    if (owner != code) seen.clear();
    owner = code;
    seen.push_back(address);
    if (seen.size() < 4) return {};
    if (seen.size() > 4) seen.erase(seen.begin());
    const uint64_t step = seen[3] - seen[2];
    if (step == 0 || seen[2] - seen[1] != step || seen[1] - seen[0] != step) return {};
    const uint64_t target = address + ahead * step;
    const bool too_long = step > 2048 && -step > 2048;
    return too_long || target / 64 == (target - step) / 64 ? std::nullopt
                                                           : std::optional(target / 64);
  }
};

struct PlainLine {
  uint64_t line;
  Ticks ready;
  bool prefetched;
};

// Lines of each set, the last used one first.
class PlainCache {
public:
  explicit PlainCache(const TimedCache &shape) : shape_(shape) {}

  PlainLine *use(uint64_t line) {
    auto &set = sets_[set_of(line)];
    for (auto it = set.begin(); it != set.end(); ++it)
      if (it->line == line) {
        set.splice(set.begin(), set, it);
        return &set.front();
      }
    return nullptr;
  }
  bool holds(uint64_t line) {
    auto &set = sets_[set_of(line)];
    return std::any_of(set.begin(), set.end(), [&](const auto &one) { return one.line == line; });
  }
  void insert(uint64_t line, Ticks ready, bool prefetched) {
    auto &set = sets_[set_of(line)];
    set.push_front({line, ready, prefetched});
    if (set.size() > shape_.ways) set.pop_back();
  }

private:
  uint64_t set_of(uint64_t line) const {
    const uint64_t page = line / 64;
    const uint64_t chance = line / 2048 * 0x9e3779b97f4a7c15 / (uint64_t{1} << 32);
    if (shape_.index == Index::hash) return (line ^ chance) % shape_.sets;
    if (shape_.index == Index::frame && shape_.sets > 64)
      return line % 64 + (page ^ chance / 64) % (shape_.sets / 64) * 64;
    return line % shape_.sets;
  }

  TimedCache shape_;
  std::map<uint64_t, std::list<PlainLine>> sets_;
};

// One access to one line at a time, every rule where it applies.
class PlainCore {
public:
  explicit PlainCore(const Machine &machine)
      : m(machine), stream{m.stream, m.trained, m.crosses}, stride{m.stride} {
    for (const TimedCache &shape : m.caches) caches.emplace_back(shape);
    for (const TimedCache &shape : m.tlbs) tlbs.emplace_back(shape);
  }

  void take(const Reference &one, uint64_t code, uint64_t recorded, uint8_t source) {
    const bool writes = one.kind == kWrite;
    const uint64_t first = one.address / 64;
    auto &[word, when] = words[one.address / 8 % 64];
    const Ticks known = source == 0 ? near_all(recorded, one.size) : loaded_by(source);
    const Ticks written = source == 0 || word != one.address / 8 ? 0 : when;
    Ticks there = 0;
    for (uint64_t line = first; line <= (one.address + one.size - 1) / 64; ++line)
      there = access(line, one.size, writes, known, written);
    values.push_back(writes ? 0 : there);
    if (writes) std::tie(word, when) = std::pair(one.address / 8, known);
    if (m.stride == 0 || writes) return;
    if (const auto target = stride.observe(code, one.address))
      bring(*target, std::max(begun, known));
  }

  void follow(const MemoryEvent &event) {
    const uint64_t end = event.address + event.bytes;
    if (event.kind == MemoryEvent::Kind::unrecorded)
      for (auto &[page, lines] : cleared) lines.clear();
    if (event.kind == MemoryEvent::Kind::allocated)
      for (uint64_t page = event.address / 4096; page * 4096 < end; ++page)
        if (cleared.count(page) == 0)
          for (uint64_t line = page * 64; line < page * 64 + 64; ++line) cleared[page].insert(line);
    if (event.kind == MemoryEvent::Kind::discarded)
      for (uint64_t page = 0; page * 4096 + 4096 <= end; ++page)
        if (page * 4096 >= event.address) cleared.erase(page);
  }

  // When what is loaded is there, which was `written` by then.
  Ticks access(uint64_t line, uint32_t size, bool writes, Ticks address, Ticks written) {
    begun += m.compute;
    if (ends.size() >= m.window) begun = std::max(begun, ends[ends.size() - m.window]);
    Ticks stored = 0;
    if (writes && m.stores != 0 && drains.size() >= m.stores) {
      const Ticks room = drains[drains.size() - m.stores];
      stored = std::max(room, begun) - begun;
      begun += stored;
    }
    Ticks known = begun;
    if (!writes) known = std::max(known, address);
    Ticks walked = 0;
    const uint64_t page = line * 64 >> m.page_shift;
    if (tlbs[0].use(page) == nullptr) {
      counts.tlb_misses[0]++;
      tlbs[0].insert(page, 0, false);
      walked = m.tlbs[1].latency;
      if (tlbs[1].use(page) == nullptr) {
        counts.tlb_misses[1]++;
        tlbs[1].insert(page, 0, false);
        walked += m.walk;
      }
    }
    Ticks start = known + walked;
    Ticks queued = 0;
    int level = 0;
    Ticks ready = 0;
    if (PlainLine *found = caches[0].use(line)) {
      ready = found->ready;
    } else {
      if (fills.size() >= m.outstanding && fills[fills.size() - m.outstanding] > start)
        queued = fills[fills.size() - m.outstanding] - start;
      start += queued;
      counts.misses[0]++;
      ready = below(line, start, level);
      caches[0].insert(line, ready, false);
      fills.push_back(ready);
    }
    const Ticks found_at = std::max(start + m.caches[0].latency, ready);
    const Ticks there = writes ? found_at : std::max(found_at, written);
    if (!writes && size >= 8) pointer = there;
    const Ticks due = (ends.empty() ? 0 : ends.back()) + m.compute;
    ends.push_back(std::max(due, writes ? begun : there));
    counts.accesses++;
    if (writes) {
      const Ticks before = drains.empty() ? 0 : drains.back() + kTicksInCycle;
      drains.push_back(std::max({before, there, ends.back()}));
    }
    account(ends.back() - due, stored, known - begun + there - found_at, walked, queued, level);
    return there;
  }

  TimeCounts counts;

private:
  static std::array<std::pair<uint64_t, Ticks>, 64> none() {
    std::array<std::pair<uint64_t, Ticks>, 64> words;
    words.fill({~uint64_t{0}, 0});
    return words;
  }

  Ticks near_all(uint64_t address, uint32_t size) {
    const Ticks known = near(address / 64);
    for (uint64_t line = address / 64; line <= (address + size - 1) / 64; ++line) near(line);
    return known;
  }

  Ticks loaded_by(uint8_t source) const {
    const size_t back = source - 1U;
    return back == 0 || back > values.size() ? 0 : values[values.size() - back];
  }

  Ticks near(uint64_t line) {
    for (auto &[other, known] : recent)
      if (line == other || line + 1 == other || line == other + 1) {
        other = line;
        return known;
      }
    recent[oldest] = {line, pointer};
    oldest = (oldest + 1) % recent.size();
    return pointer;
  }

  Ticks below(uint64_t line, Ticks start, int &level) {
    PlainLine *second = caches[1].use(line);
    const bool triggers = second == nullptr || second->prefetched;
    Ticks ready = 0;
    if (second != nullptr) {
      level = 1;
      ready = std::max(start + m.caches[1].latency, second->ready);
      if (second->prefetched) {
        counts.useful++;
        counts.late += second->ready > start;
      }
      second->prefetched = false;
    } else {
      counts.misses[1]++;
      ready = third(line, start, level, false);
      counts.misses[2] += level == 3;
    }
    if (!triggers) return ready;
    std::vector<uint64_t> targets;
    if (m.stream != 0) targets = stream.observe(line);
    if (m.adjacent) targets.push_back(line % 2 == 0 ? line + 1 : line - 1);
    for (uint64_t next = line + 1; next <= line + m.next && next / 64 == line / 64; ++next)
      targets.push_back(next);
    for (const uint64_t target : targets) bring(target, start);
    return ready;
  }

  void bring(uint64_t line, Ticks now) {
    line %= uint64_t{1} << (51 - 6);
    if (caches[1].holds(line)) return;
    int unused = 0;
    if (third(line, now, unused, true) != 0) counts.prefetches++;
  }

  Ticks third(uint64_t line, Ticks start, int &level, bool early) {
    PlainLine *found = caches[2].use(line);
    level = found != nullptr ? 2 : 3;
    const Ticks asked = start + m.caches[2].latency;
    Ticks ready = found != nullptr ? std::max(asked, found->ready) : 0;
    const auto page = cleared.find(line / 64);
    if (found == nullptr && page != cleared.end() && page->second.erase(line) != 0) {
      ready = start + m.caches[1].latency;
      caches[2].insert(line, ready, false);
    } else if (found == nullptr) {
      // Of what is early no more than that waits for the channel, and for what is not.
      if (early && channel > asked + m.outstanding * m.line) return 0;
      Ticks &free = early ? channel : urgent;
      const Ticks begin = std::max(asked, free);
      channel = std::max(channel, begin) + m.line;
      if (!early) urgent = begin + m.line;
      const uint64_t row = line / 128;
      ready = begin + m.memory - (rows[row % 16] == row ? m.row_hit_saves : 0);
      rows[row % 16] = row;
      caches[2].insert(line, ready, false);
    }
    caches[1].insert(line, ready, early);
    return ready;
  }

  void account(Ticks stall, Ticks stored, Ticks waited, Ticks walked, Ticks queued, int level) {
    counts.parts[TimeCounts::compute] += m.compute;
    const std::vector<std::pair<int, Ticks>> causes{{TimeCounts::stores, stored},
                                                    {TimeCounts::dependence, waited},
                                                    {TimeCounts::tlb, walked},
                                                    {TimeCounts::outstanding, queued}};
    for (const auto &[part, most] : causes) {
      counts.parts.at(part) += std::min(stall, most);
      stall -= std::min(stall, most);
    }
    counts.parts.at(TimeCounts::l1 + level) += stall;
  }

  Machine m;
  std::vector<PlainCache> caches;
  std::vector<PlainCache> tlbs;
  PlainStream stream;
  PlainStride stride;
  std::array<std::pair<uint64_t, Ticks>, 4> recent{};
  size_t oldest = 0;
  std::vector<Ticks> ends;
  std::vector<Ticks> fills;
  std::vector<Ticks> drains;
  std::vector<Ticks> values; // of each access
  std::array<std::pair<uint64_t, Ticks>, 64> words =
      none(); // written last, and when they were known
  std::map<uint64_t, uint64_t> rows;
  std::map<uint64_t, std::set<uint64_t>> cleared; // of each page, lines that were not asked for
  Ticks begun = 0;
  Ticks pointer = 0;
  Ticks channel = 0, urgent = 0; // free of all, and of what is not early
};

} // namespace abut::test
