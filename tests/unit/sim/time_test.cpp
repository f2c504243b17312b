// The time of a core, against the same rules written out step by step over plain lists, and against what is known of
// layouts: which of two is slower.
#include "sim/time/core.hpp"
#include "sim/tree/tree.hpp"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <list>
#include <map>
#include <random>
#include <vector>

namespace abut::test {
namespace {

using namespace sim;
using Columns = std::vector<Reference>;

void feed(Consumer &consumer, const Columns &references) {
  std::vector<uint64_t> addresses;
  std::vector<uint32_t> sizes;
  std::vector<Kind> kinds;
  for (const Reference &one : references) {
    addresses.push_back(one.address);
    sizes.push_back(one.size);
    kinds.push_back(one.kind);
  }
  consumer.take({addresses, sizes, kinds, {}, {}});
}

TimeCounts time_of(const Machine &machine, const Columns &references) {
  Core core(machine);
  feed(core, references);
  return core.counts();
}

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
    auto &set = sets_[line % shape_.sets];
    for (auto it = set.begin(); it != set.end(); ++it)
      if (it->line == line) {
        set.splice(set.begin(), set, it);
        return &set.front();
      }
    return nullptr;
  }
  bool holds(uint64_t line) {
    auto &set = sets_[line % shape_.sets];
    return std::any_of(set.begin(), set.end(), [&](const auto &one) { return one.line == line; });
  }
  void insert(uint64_t line, Ticks ready, bool prefetched) {
    auto &set = sets_[line % shape_.sets];
    set.push_front({line, ready, prefetched});
    if (set.size() > shape_.ways) set.pop_back();
  }

private:
  TimedCache shape_;
  std::map<uint64_t, std::list<PlainLine>> sets_;
};

// One access to one line at a time, every rule where it applies.
class PlainCore {
public:
  explicit PlainCore(const Machine &machine) : m(machine) {
    for (const TimedCache &shape : m.caches) caches.emplace_back(shape);
    for (const TimedCache &shape : m.tlbs) tlbs.emplace_back(shape);
    LevelSettings level;
    level.degree = m.stream;
    if (m.stream != 0) stream = make_stream(level, m.crosses);
  }

  void access(uint64_t line, uint32_t size, bool writes) {
    begun += m.compute;
    if (ends.size() >= m.window) begun = std::max(begun, ends[ends.size() - m.window]);
    Ticks known = begun;
    if (!near(line) && !writes) known = std::max(known, pointer);
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
    const Ticks there = std::max(start + m.caches[0].latency, ready);
    if (!writes && size >= 8) pointer = there;
    const Ticks due = (ends.empty() ? 0 : ends.back()) + m.compute;
    ends.push_back(std::max(due, writes ? begun : there));
    counts.accesses++;
    account(ends.back() - due, known - begun, walked, queued, level);
  }

  TimeCounts counts;

private:
  bool near(uint64_t line) {
    for (uint64_t &other : recent)
      if (line == other || line + 1 == other || line == other + 1) {
        other = line;
        return true;
      }
    recent[oldest] = line;
    oldest = (oldest + 1) % recent.size();
    return false;
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
    Targets targets;
    if (stream != nullptr) stream->observe(line, triggers, targets);
    if (m.adjacent && triggers) targets.add(line % 2 == 0 ? line + 1 : line - 1);
    for (uint32_t i = 0; i < targets.count; ++i) {
      if (caches[1].holds(targets.lines.at(i))) continue;
      counts.prefetches++;
      int unused = 0;
      third(targets.lines.at(i), start, unused, true);
    }
    return ready;
  }

  Ticks third(uint64_t line, Ticks start, int &level, bool early) {
    PlainLine *found = caches[2].use(line);
    level = found != nullptr ? 2 : 3;
    const Ticks asked = start + m.caches[2].latency;
    Ticks ready = found != nullptr ? std::max(asked, found->ready) : 0;
    if (found == nullptr) {
      const Ticks begin = std::max(asked, channel);
      channel = begin + m.line;
      const uint64_t row = line / 128;
      ready = begin + m.memory - (rows[row % 16] == row ? m.row_hit_saves : 0);
      rows[row % 16] = row;
      caches[2].insert(line, ready, false);
    }
    caches[1].insert(line, ready, early);
    return ready;
  }

  void account(Ticks stall, Ticks waited, Ticks walked, Ticks queued, int level) {
    counts.parts[TimeCounts::compute] += m.compute;
    const std::vector<std::pair<int, Ticks>> causes{{TimeCounts::dependence, waited},
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
  std::unique_ptr<Prefetcher> stream;
  std::array<uint64_t, 4> recent{};
  size_t oldest = 0;
  std::vector<Ticks> ends;
  std::vector<Ticks> fills;
  std::map<uint64_t, uint64_t> rows;
  Ticks begun = 0;
  Ticks pointer = 0;
  Ticks channel = 0;
};

Columns any_references(std::mt19937_64 &random, size_t count) {
  Columns references;
  uint64_t at = 0;
  while (references.size() < count) {
    if (random() % 8 == 0) at = random() % (1 << 22);
    at += random() % 3 == 0 ? 64 : 8;
    const auto size = static_cast<uint32_t>(1 << random() % 4);
    references.push_back({at, size, static_cast<Kind>(random() % 4 == 0 ? kWrite : 0), 0, 0});
  }
  return references;
}

Machine any_machine(std::mt19937_64 &random) {
  Machine machine;
  machine.caches = {{{8, 4, 64}, {64, 8, 224}, {256, 8, 800}}};
  machine.tlbs = {{{4, 4, 0}, {16, 4, 112}}};
  machine.window = static_cast<uint32_t>(1 + random() % 100);
  machine.outstanding = static_cast<uint32_t>(1 + random() % 20);
  machine.stream = static_cast<uint32_t>(random() % 5);
  machine.crosses = random() % 2 == 0;
  machine.adjacent = random() % 2 == 0;
  machine.page_shift = random() % 4 == 0 ? 21 : 12;
  return machine;
}

TEST(Time, IsThatOfTheRulesStepByStep) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 40; ++round) {
    const Machine machine = any_machine(random);
    const Columns references = any_references(random, 4000);
    PlainCore plain(machine);
    for (const Reference &one : references)
      for (uint64_t line = one.address / 64; line <= (one.address + one.size - 1) / 64; ++line)
        plain.access(line, one.size, one.kind == kWrite);
    const TimeCounts counts = time_of(machine, references);
    ASSERT_EQ(counts.parts, plain.counts.parts) << "round " << round;
    EXPECT_EQ(counts.misses, plain.counts.misses);
    EXPECT_EQ(counts.tlb_misses, plain.counts.tlb_misses);
    EXPECT_EQ(counts.prefetches, plain.counts.prefetches);
    EXPECT_EQ(counts.useful, plain.counts.useful);
    EXPECT_EQ(counts.late, plain.counts.late);
    EXPECT_EQ(counts.accesses, plain.counts.accesses);
  }
}

TEST(Time, MissesAreThoseOfTheCachesWithoutPrefetchers) {
  std::mt19937_64 random(2);
  Columns references = any_references(random, 50'000);
  for (Reference &one : references) one.kind = 0; // nothing is written back
  Machine machine = any_machine(random);
  machine.stream = 0;
  machine.adjacent = false;
  std::vector<LevelSettings> levels(3);
  for (size_t i = 0; i < levels.size(); ++i) {
    const TimedCache &shape = machine.caches.at(i);
    levels[i].name = std::to_string(i);
    levels[i].below = i < 2 ? std::to_string(i + 1) : "";
    levels[i].capacity = uint64_t{64} * shape.sets * shape.ways;
    levels[i].ways = shape.ways;
  }
  auto tree = Tree::make(levels).take();
  feed(*tree, references);
  const TimeCounts counts = time_of(machine, references);
  for (size_t i = 0; i < levels.size(); ++i)
    EXPECT_EQ(counts.misses.at(i), tree->counts(i).misses[0]) << i;
}

// Of nodes of a line each, that which was born as the i-th; each page is filled from its first line on, or from a line of
// its own round its end.
struct Birth {
  bool rotates;
  void visit(Columns &walk, uint64_t i) const {
    const uint64_t first = rotates ? i / 64 * 7 : 0;
    walk.push_back({(i / 64 << 12) + (i + first) % 64 * 64, 8, 0, 0, 0});
  }
};
constexpr uint64_t kNodes = 1 << 18;

Columns list_walk(Birth born) {
  Columns walk;
  for (uint64_t i = 0; i < kNodes; ++i) born.visit(walk, i);
  return walk;
}

// A node, what is left of it, the node again, what is right of it: built in that order, too.
void tree_walk(Birth born, uint64_t first, uint64_t count, Columns &walk) {
  if (count == 0) return;
  const uint64_t left = (count - 1) / 2;
  born.visit(walk, first);
  tree_walk(born, first + 1, left, walk);
  born.visit(walk, first);
  tree_walk(born, first + 1 + left, count - 1 - left, walk);
}

Columns lists_walk(Birth born) {
  constexpr uint64_t kLists = 4; // appended to in turn
  Columns walk;
  for (uint64_t list = 0; list < kLists; ++list)
    for (uint64_t i = list; i < kNodes; i += kLists) born.visit(walk, i);
  return walk;
}

TEST(Time, PagesBegunAtRotatingLinesAreSlowerThanPagesFromTheirFirstByte) {
  const auto walk_of = [](int structure, Birth born) {
    if (structure == 0) return list_walk(born);
    if (structure == 2) return lists_walk(born);
    Columns walk;
    tree_walk(born, 0, kNodes, walk);
    return walk;
  };
  for (int structure = 0; structure < 3; ++structure) {
    const TimeCounts even = time_of({}, walk_of(structure, {false}));
    const TimeCounts turned = time_of({}, walk_of(structure, {true}));
    // A simulator of misses sees hardly a difference.
    EXPECT_NEAR(static_cast<double>(even.misses[0]), static_cast<double>(turned.misses[0]),
                static_cast<double>(even.misses[0]) / 100);
    EXPECT_GT(turned.total(), even.total() + even.total() / 30) << structure;
  }
}

TEST(Time, MoreWaysNeverTakeLonger) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 10; ++round) {
    Machine machine = any_machine(random);
    machine.stream = 0;
    machine.adjacent = false;
    machine.row_hit_saves = 0;
    const Columns references = any_references(random, 20'000);
    Ticks before = ~Ticks{0};
    for (const uint32_t ways : {2, 4, 8, 16}) {
      for (TimedCache &cache : machine.caches) cache.ways = ways;
      const Ticks now = time_of(machine, references).total();
      EXPECT_LE(now, before) << ways;
      before = now;
    }
  }
}

TEST(Time, AStrideThatKeepsToOneSetOfEachLevelWaitsForMemory) {
  Machine machine;
  machine.stream = 0;
  Columns spread;
  Columns piled;
  for (int round = 0; round < 200; ++round)
    for (uint64_t i = 0; i < 32; ++i) {
      spread.push_back({i * 64, 8, 0, 0, 0});
      piled.push_back({i * machine.caches[2].sets * 64, 8, 0, 0, 0});
    }
  EXPECT_EQ(time_of(machine, piled).misses[2], piled.size());
  EXPECT_EQ(time_of(machine, spread).misses[0], 32U);
  EXPECT_GT(time_of(machine, piled).total(), 50 * time_of(machine, spread).total());
}

TEST(Time, AListInRandomOrderWaitsForEachOfItsNodesAndAnArrayForMany) {
  std::mt19937_64 random(3);
  Columns chase;
  for (int i = 0; i < 100'000; ++i)
    chase.push_back({random() % (1 << 30) & ~uint64_t{63}, 8, 0, 0, 0});
  Columns independent = chase;
  for (Reference &one : independent) one.size = 4; // no pointers
  const TimeCounts waits = time_of({}, chase);
  const TimeCounts overlaps = time_of({}, independent);
  EXPECT_GT(waits.total(), 5 * overlaps.total());
  EXPECT_GT(waits.parts[TimeCounts::dependence], waits.total() / 2);
  EXPECT_EQ(overlaps.parts[TimeCounts::dependence], 0U);
}

} // namespace
} // namespace abut::test
