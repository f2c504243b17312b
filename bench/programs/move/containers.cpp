// The containers whose nodes move beside those whose nodes do not: maps and their kin; many lists that are changed at
// random and walked; elements without an order. Prints one JSON object.
#include "move/containers.hpp"
#include "adcock/move/list.hpp"
#include "common/options.hpp"

#include <cinttypes>
#include <list>
#include <vector>
#if __has_include(<plf_colony.h>)
#define BENCH_HAS_COLONY
#include <plf_colony.h>
#endif
#ifdef BENCH_HAS_BOOST
#include <boost/container/list.hpp>
#endif

namespace {

using bench::ns_each;
using bench::Random;
using Settings = bench::ContainerSettings;

// One of the lists is drawn, and where the last step on it ended, an element is erased, inserted or passed.
template <typename List>
void step(List &list, typename List::iterator &cursor, std::uint64_t &left, Random &random) {
  switch (random.below(4)) {
  case 0: cursor = list.insert(cursor, random.next()); break;
  case 1:
    cursor = list.erase(cursor);
    --left;
    return;
  default: break;
  }
  ++cursor;
  --left;
}

template <typename List>
void run_lists(const Settings &settings, std::vector<List> &lists, bench::Checksum &sum) {
  Random random(settings.seed);
  for (std::uint64_t i = 0; i < settings.elements; ++i)
    lists[random.below(lists.size())].push_back(random.next());
  std::uint64_t steps = 0;
  const double change = ns_each(1, [&] {
    for (std::uint64_t pass = 0; pass < settings.passes; ++pass) {
      std::vector<typename List::iterator> cursors;
      std::vector<std::uint64_t> left;
      std::uint64_t live = 0;
      for (auto &list : lists) {
        cursors.push_back(list.begin());
        left.push_back(list.size());
        live += list.size();
      }
      for (; live > 0; ++steps) {
        std::uint64_t which = random.below(lists.size());
        while (left[which] == 0) which = which + 1 == lists.size() ? 0 : which + 1;
        const std::uint64_t before = left[which];
        if (cursors[which] == lists[which].end())
          left[which] = 0;
        else
          step(lists[which], cursors[which], left[which], random);
        live -= before - left[which];
      }
    }
  });
  std::uint64_t nodes = 0;
  const double walk = ns_each(1, [&] {
    for (const auto &list : lists)
      for (const std::uint64_t value : list) {
        sum.add(value);
        ++nodes;
      }
  });
  std::printf("\"change_ns\": %.1f, \"walk_ns\": %.2f, \"nodes\": %" PRIu64,
              change / static_cast<double>(steps), walk / static_cast<double>(nodes), nodes);
}

// Elements without an order: any is erased, another put where it costs least, and all are walked over.
template <typename Bag>
void run_bag(const Settings &settings, bench::Checksum &sum) {
  Random random(settings.seed);
  Bag bag;
  const auto put = [&] {
    if constexpr (requires { bag.push_back(random.next()); })
      return bag.insert(bag.end(), random.next());
    else
      return bag.insert(random.next());
  };
  std::vector<typename Bag::iterator> places(settings.elements);
  for (auto &place : places) place = put();
  const std::uint64_t changes = settings.passes * settings.elements / 10;
  const double change = ns_each(changes, [&] {
    for (std::uint64_t i = 0; i < changes; ++i) {
      auto &place = places[random.below(places.size())];
      bag.erase(place);
      place = put();
    }
  });
  std::uint64_t all = 0;
  const double walk = ns_each(bag.size(), [&] {
    for (const std::uint64_t value : bag) all += value;
  });
  sum.add(all);
  std::printf("\"change_ns\": %.1f, \"walk_ns\": %.2f", change, walk);
}

void run_bags(const Settings &settings, bench::Checksum &sum) {
  using Key = std::uint64_t;
#ifdef BENCH_HAS_COLONY
  if (settings.whose == "plf") return run_bag<plf::colony<Key>>(settings, sum);
#endif
  if (settings.whose == "abut-still")
    run_bag<adcock::list<Key, adcock::move::ListLayout{.moves = false}>>(settings, sum);
  else
    run_bag<std::list<Key>>(settings, sum);
}

void run(const Settings &settings, bench::Checksum &sum) {
  if (settings.what == "bag") return run_bags(settings, sum);
  if (settings.what != "list") return run_keyed(settings, sum);
  const std::uint64_t count = std::max<std::uint64_t>(settings.elements / settings.length, 1);
  using Key = std::uint64_t;
  if (settings.whose == "abut") {
    const adcock::list<Key> first;
    std::vector<adcock::list<Key>> lists;
    for (std::uint64_t i = 0; i < count; ++i) lists.emplace_back(first.pool());
    run_lists(settings, lists, sum);
#ifdef BENCH_HAS_BOOST
  } else if (settings.whose == "boost") {
    std::vector<boost::container::list<Key>> lists(count);
    run_lists(settings, lists, sum);
#endif
  } else {
    std::vector<std::list<Key>> lists(count);
    run_lists(settings, lists, sum);
  }
}

// Whether the program was built with it.
bool is_here(std::string_view whose) {
#ifdef BENCH_HAS_ABSL
  constexpr bool kAbsl = true;
#else
  constexpr bool kAbsl = false;
#endif
#ifdef BENCH_HAS_BOOST
  constexpr bool kBoost = true;
#else
  constexpr bool kBoost = false;
#endif
#ifdef BENCH_HAS_COLONY
  constexpr bool kColony = true;
#else
  constexpr bool kColony = false;
#endif
  return (kAbsl || whose != "absl") && (kBoost || whose != "boost") && (kColony || whose != "plf");
}

} // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): where memory runs out, the program may end
int main(int argc, char **argv) {
  Settings settings;
  bench::Options options("containers", "Maps and lists whose nodes move, beside others.");
  options.choice("what", settings.what, {"map", "set", "unordered_map", "list", "bag"},
                 "the container");
  options.choice("whose", settings.whose, {"abut", "abut-still", "std", "absl", "boost", "plf"},
                 "whose container; absl's, boost's and plf's only where they were found");
  options.number("elements", settings.elements, {1, 1'000'000'000}, "elements in all");
  options.number("length", settings.length, {1, 1'000'000'000}, "elements of a list");
  options.number("passes", settings.passes, {0, 1000}, "passes of changes; for a map a tenth each");
  options.number("lookups", settings.lookups, {1, 1'000'000'000}, "look-ups in the map");
  options.number("seed", settings.seed, {0, UINT64_MAX}, "seed of all values");
  options.flag("huge", settings.huge, "ask for huge pages for abut's");
  options.parse(argc, argv);
  if (!is_here(settings.whose)) {
    std::puts("{\"missing\": true}");
    return 0;
  }
  bench::Checksum sum;
  std::printf("{\"program\": \"containers\", \"what\": \"%.*s\", \"whose\": \"%.*s\", ",
              static_cast<int>(settings.what.size()), settings.what.data(),
              static_cast<int>(settings.whose.size()), settings.whose.data());
  run(settings, sum);
  std::printf(", \"checksum\": \"%016" PRIx64 "\"}\n", sum.value());
}
