// The time of a core, against the same rules written out step by step over plain lists, and against what is known of
// layouts: which of two is slower.
#include "sim/time/core.hpp"
#include "sim/tree/tree.hpp"

#include "helpers/plain_core.hpp"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace abut::test {
namespace {

using namespace sim;
using Columns = std::vector<Reference>;

// The instruction of the i-th reference: one of a dozen, mostly those of a loop.
uint64_t code_of(size_t i) { return 0x400000 + (i % 7 == 0 ? i / 7 % 5 : i % 3) * 4; }

using Sources = std::vector<uint8_t>;

// `recorded`: where they were; empty: where they are. `code`: of the one instruction; 0: of several.
void feed(Consumer &consumer, const Columns &references, const std::vector<uint64_t> &recorded = {},
          const Sources &sources = {}, uint64_t code = 0) {
  std::vector<uint64_t> addresses;
  std::vector<uint32_t> sizes;
  std::vector<Kind> kinds;
  std::vector<uint64_t> codes;
  for (const Reference &one : references) {
    codes.push_back(code != 0 ? code : code_of(codes.size()));
    addresses.push_back(one.address);
    sizes.push_back(one.size);
    kinds.push_back(one.kind);
  }
  consumer.take({addresses, sizes, kinds, {}, {}, codes, recorded, sources});
}

TimeCounts time_of(const Machine &machine, const Columns &references,
                   const std::vector<uint64_t> &recorded = {}, const Sources &sources = {}) {
  Core core(machine);
  feed(core, references, recorded, sources);
  return core.counts();
}

Columns any_references(std::mt19937_64 &random, size_t count) {
  Columns references;
  uint64_t at = 0;
  while (references.size() < count) {
    if (random() % 8 == 0) at = random() % (1 << 22);
    at += random() % 12 == 0 ? 64 * (1 + random() % 6) : random() % 3 == 0 ? 64 : 8;
    const auto size = static_cast<uint32_t>(1 << random() % 4);
    references.push_back({at, size, static_cast<Kind>(random() % 4 == 0 ? kWrite : 0), 0, 0});
  }
  return references;
}

Machine any_machine(std::mt19937_64 &random) {
  Machine machine;
  machine.caches = {{{8, 4, 64}, {128, 4, 224}, {256, 8, 800}}};
  machine.tlbs = {{{4, 4, 0}, {16, 4, 112}}};
  if (random() % 2 == 0) machine.tlbs[0] = {2, 20, 0};
  machine.compute = 4 + random() % 40;
  machine.window = static_cast<uint32_t>(1 + random() % 100);
  machine.outstanding = static_cast<uint32_t>(1 + random() % 20);
  machine.stream = static_cast<uint32_t>(random() % 5);
  machine.trained = static_cast<uint32_t>(1 + random() % 6);
  machine.crosses = random() % 2 == 0;
  machine.adjacent = random() % 2 == 0;
  machine.next = static_cast<uint32_t>(random() % 3);
  machine.stride = static_cast<uint32_t>(random() % 3 * 2);
  machine.stores = random() % 3 == 0 ? 0 : static_cast<uint32_t>(1 + random() % 20);
  machine.page_shift = random() % 4 == 0 ? 21 : 12;
  machine.caches[1].index = random() % 2 == 0 ? Index::frame : Index::address;
  machine.caches[2].index = random() % 2 == 0 ? Index::hash : Index::address;
  return machine;
}

MemoryEvent any_memory_event(std::mt19937_64 &random) {
  using Kind = MemoryEvent::Kind;
  const uint64_t what = random() % 20;
  if (what == 0) return {Kind::unrecorded};
  const uint64_t address = random() % (1 << 22);
  if (what < 4) return {Kind::discarded, address, random() % (1 << 16)};
  return {Kind::allocated, address, 1 + random() % (random() % 4 == 0 ? 1 << 16 : 200)};
}

void prefetch_nothing(Machine &machine) {
  machine.stream = machine.next = machine.stride = 0;
  machine.adjacent = false;
}

TEST(Time, IsThatOfTheRulesStepByStep) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 40; ++round) {
    const Machine machine = any_machine(random);
    const Columns references = any_references(random, 4000);
    std::vector<uint64_t> recorded;
    const bool moved = round % 2 == 0;
    for (const Reference &one : any_references(random, references.size()))
      recorded.push_back(moved ? one.address : references[recorded.size()].address);
    Sources sources(round % 3 == 0 ? 0 : references.size());
    for (uint8_t &source : sources) source = static_cast<uint8_t>(random() % (2 << random() % 8));
    PlainCore plain(machine);
    for (size_t i = 0; i < references.size(); ++i)
      plain.take(references[i], code_of(i), recorded[i], sources.empty() ? uint8_t{0} : sources[i]);
    if (!moved) recorded.clear();
    const TimeCounts counts = time_of(machine, references, recorded, sources);
    ASSERT_EQ(counts.parts, plain.counts.parts) << "round " << round;
    EXPECT_EQ(counts.misses, plain.counts.misses);
    EXPECT_EQ(counts.tlb_misses, plain.counts.tlb_misses);
    EXPECT_EQ(counts.prefetches, plain.counts.prefetches);
    EXPECT_EQ(counts.useful, plain.counts.useful);
    EXPECT_EQ(counts.late, plain.counts.late);
    EXPECT_EQ(counts.accesses, plain.counts.accesses);
  }
}

TEST(Time, OfPagesThatTheKernelClearedIsThatOfTheRulesStepByStep) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 10; ++round) {
    const Machine machine = any_machine(random);
    PlainCore plain(machine);
    Core core(machine);
    for (int part = 0; part < 60; ++part) {
      std::vector<MemoryEvent> events(random() % 5);
      for (MemoryEvent &event : events) plain.follow(event = any_memory_event(random));
      core.follow(events);
      const Columns references = any_references(random, 100);
      for (size_t i = 0; i < references.size(); ++i)
        plain.take(references[i], code_of(i), references[i].address, 1);
      feed(core, references, {}, Sources(references.size(), 1));
    }
    ASSERT_EQ(core.counts().parts, plain.counts.parts) << "round " << round;
  }
}

TEST(Time, WhatTheKernelClearedIsNotWaitedForAndWhatIsOldIs) {
  Columns walk;
  for (uint64_t line = 0; line < 1000; ++line) walk.push_back({line * 64, 8, 0, 0, 0});
  const MemoryEvent block{MemoryEvent::Kind::allocated, 0, 64'000};
  const auto waits = [&](const std::vector<MemoryEvent> &events) {
    Machine machine;
    prefetch_nothing(machine);
    Core core(machine);
    core.follow(events);
    feed(core, walk);
    EXPECT_EQ(core.counts().misses[2], 1000) << "a line that is new is a miss, whatever it takes";
    return core.counts().total() - core.counts().parts[TimeCounts::compute];
  };
  const Ticks old = waits({});
  EXPECT_LT(waits({block}), old / 2);
  EXPECT_EQ(waits({block, {MemoryEvent::Kind::unrecorded}}), old) << "it may have been used since";
  const MemoryEvent gone{MemoryEvent::Kind::discarded, 0, 1 << 16};
  EXPECT_EQ(waits({block, gone}), old);
  EXPECT_LT(waits({block, {MemoryEvent::Kind::unrecorded}, gone, block}), old / 2);
}

TEST(Time, LinesAtEqualPlacesOfPagesShareSetsAsFramesAndSlicesHaveIt) {
  const auto misses = [](size_t lines, Index index, size_t level) {
    Columns references;
    for (size_t i = 0; i < 2 * lines; ++i)
      references.push_back({i % lines << 16, 8, static_cast<Kind>(0), 0, 0});
    Machine machine;
    prefetch_nothing(machine);
    machine.caches.at(level).index = index;
    return time_of(machine, references).misses.at(level);
  };
  EXPECT_EQ(misses(4096, Index::address, 2), 2 * 4096);
  EXPECT_EQ(misses(4096, Index::hash, 2), 4096);
  EXPECT_EQ(misses(128, Index::address, 1), 2 * 128) << "one set of 16 lines";
  EXPECT_EQ(misses(128, Index::frame, 1), 128) << "sixteen sets";
  EXPECT_EQ(misses(1024, Index::frame, 1), 2 * 1024) << "no other place in their pages";
}

TEST(Time, WhatAnAccessAsksForDoesNotWaitForWhatPrefetchersDo) {
  std::mt19937_64 random(3);
  Columns references; // that wait for none before, on lines that no prefetcher can guess
  for (size_t i = 0; i < 50'000; ++i)
    references.push_back({random() % (1 << 30), 4, static_cast<Kind>(0), 0, 0});
  Machine machine;
  prefetch_nothing(machine);
  const Ticks alone = time_of(machine, references).total();
  machine.adjacent = true;
  machine.next = 2;
  EXPECT_LT(time_of(machine, references).total(), alone + alone / 10);
}

TEST(Time, AWalkThatVisitsManyPagesInTurnHasAStreamInEach) {
  constexpr size_t kLines = 512;
  const auto streamed = [](size_t pages) {
    Columns references;
    for (size_t i = 0; i < kLines; ++i)
      for (size_t page = 0; page < pages; ++page)
        references.push_back({page << 24 | i << 6, 4, static_cast<Kind>(0), 0, 0});
    Machine machine;
    machine.caches[1].index = machine.caches[2].index = Index::hash; // the pages lie far apart
    machine.compute = 2 * machine.line; // memory keeps up, and nothing waits for a buffer
    machine.outstanding = 64;
    const TimeCounts counts = time_of(machine, references);
    return static_cast<double>(counts.useful) / static_cast<double>(references.size());
  };
  EXPECT_GT(streamed(24), 0.95);
  EXPECT_LT(streamed(40), 0.05);
}

// Cycles a node of a chain with such steps in turn, with the instruction's address or without.
double time_of_chain(const std::vector<uint64_t> &lines_between, uint32_t trained,
                     bool with_code = false) {
  constexpr size_t kNodes = 20'000;
  std::vector<uint64_t> addresses(kNodes);
  for (size_t i = 1; i < kNodes; ++i)
    addresses[i] = addresses[i - 1] + 64 * lines_between[i % lines_between.size()];
  const std::vector<uint32_t> sizes(kNodes, 8);
  const std::vector<uint64_t> codes(with_code ? kNodes : 0, 0x400000);
  const Sources sources(kNodes, 2); // the load before
  Machine machine;
  machine.stride = 1;
  machine.trained = trained;
  Core core(machine);
  core.take({addresses, sizes, {}, {}, {}, codes, {}, sources});
  return static_cast<double>(core.counts().total() / kTicksInCycle) / kNodes;
}

TEST(Time, AStreamIsOneWhereEnoughOf32LinesWereTouchedInWhateverOrder) {
  const auto time = [](const std::vector<uint64_t> &steps) { return time_of_chain(steps, 9); };
  const double apart = time({100});
  EXPECT_LT(time({1, 3, 2}), apart / 3);
  EXPECT_LT(time({3, ~uint64_t{0}, ~uint64_t{0}, 3}), apart / 3) << "four lines backwards";
  EXPECT_GT(time({4}), 0.8 * apart) << "eight of 32";
  EXPECT_GT(time({1, 1, 1, 1, 1, 1, 100}), 0.8 * apart) << "seven, then elsewhere";
  EXPECT_LT(time_of_chain({4}, 8), 0.5 * apart);
}

TEST(Time, EqualStepsOfOneInstructionAreForeseenAcrossPagesUpToHalfOfOne) {
  EXPECT_LT(time_of_chain({32}, 3, true), 0.7 * time_of_chain({32}, 3));
  EXPECT_EQ(time_of_chain({33}, 3, true), time_of_chain({33}, 3));
}

TEST(Time, MissesAreThoseOfTheCachesWithoutPrefetchers) {
  std::mt19937_64 random(2);
  Columns references = any_references(random, 50'000);
  for (Reference &one : references) one.kind = 0; // nothing is written back
  Machine machine = any_machine(random);
  prefetch_nothing(machine);
  machine.caches[1].index = machine.caches[2].index = Index::address;
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
    const auto time = [&](bool rotates) {
      Machine machine;
      machine.stride = 2; // of the lists' nodes every fourth line is one's
      Core core(machine);
      feed(core, walk_of(structure, {rotates}), {}, {}, 0x400000);
      return core.counts();
    };
    const TimeCounts even = time(false);
    const TimeCounts turned = time(true);
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
    prefetch_nothing(machine);
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

TEST(Time, WhereATraceSaysWhichLoadAnAddressComesFromNothingIsGuessed) {
  std::mt19937_64 random(5);
  Columns chase;
  for (int i = 0; i < 100'000; ++i)
    chase.push_back({random() % (1 << 30) & ~uint64_t{63}, 8, 0, 0, 0});
  const Ticks guessed = time_of({}, chase).total();
  const Ticks each_of_the_last = time_of({}, chase, {}, Sources(chase.size(), 2)).total();
  const Ticks of_none = time_of({}, chase, {}, Sources(chase.size(), 1)).total();
  const Ticks four_chains = time_of({}, chase, {}, Sources(chase.size(), 5)).total();
  EXPECT_NEAR(static_cast<double>(each_of_the_last), static_cast<double>(guessed),
              static_cast<double>(guessed) / 1000);
  EXPECT_GT(guessed, 5 * of_none);
  EXPECT_NEAR(static_cast<double>(guessed) / static_cast<double>(four_chains), 4, 0.2);
}

TEST(Time, WhatWasStoredIsThereWhenItWasLoaded) {
  std::mt19937_64 random(6);
  // A pointer is loaded, stored on the stack, and loaded from there for the next one.
  Columns chase;
  Sources chained;
  Sources apart;
  for (int i = 0; i < 50'000; ++i) {
    chase.push_back({random() % (1 << 30) & ~uint64_t{63}, 8, 0, 0, 0});
    chase.push_back({1ULL << 40, 8, kWrite, 0, 0});
    chase.push_back({1ULL << 40, 8, 0, 0, 0});
    chained.insert(chained.end(), {2, 2, 1});
    apart.insert(apart.end(), {2, 1, 1});
  }
  EXPECT_GT(time_of({}, chase, {}, chained).total(), 5 * time_of({}, chase, {}, apart).total());
}

} // namespace
} // namespace abut::test
