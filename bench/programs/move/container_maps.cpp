// Maps, sets and unordered maps that are built, changed, looked up in and walked over.
#include "adcock/move/map.hpp"
#include "adcock/move/unordered_map.hpp"
#include "move/containers.hpp"

#include <cstdio>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>
#ifdef BENCH_HAS_ABSL
#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>
#endif
#ifdef BENCH_HAS_BOOST
#include <boost/container/map.hpp>
#include <boost/container/set.hpp>
#endif

namespace bench {
namespace {

using Key = std::uint64_t;
constexpr adcock::move::TreeLayout kStill{.moves = false};

template <typename Map>
void put(Map &map, Key key) {
  if constexpr (requires { map[key] = key; })
    map[key] = key;
  else
    map.insert(key);
}
Key value_of(Key key) { return key; }
Key value_of(const std::pair<const Key, Key> &element) { return element.second; }

template <typename Map>
void run_map(const ContainerSettings &settings, Checksum &sum) {
  Random random(settings.seed);
  Map map;
  if constexpr (requires { map.prefer_huge_pages(); })
    if (settings.huge) map.prefer_huge_pages();
  std::vector<std::uint64_t> keys(settings.elements);
  for (auto &key : keys) key = random.next();
  const double build = ns_each(keys.size(), [&] {
    for (const std::uint64_t key : keys) put(map, key);
  });
  const std::uint64_t changes = settings.passes * settings.elements / 10;
  const double change = ns_each(changes, [&] {
    for (std::uint64_t i = 0; i < changes; ++i) {
      std::uint64_t &key = keys[random.below(keys.size())];
      map.erase(key);
      key = random.next();
      put(map, key);
    }
  });
  const double look_up = ns_each(settings.lookups, [&] {
    for (std::uint64_t i = 0; i < settings.lookups; ++i)
      sum.add(value_of(*map.find(keys[random.below(keys.size())])));
  });
  std::uint64_t all = 0; // in whatever order
  const double walk = ns_each(map.size(), [&] {
    for (const auto &element : map) all += value_of(element);
  });
  sum.add(all);
  std::printf("\"insert_ns\": %.1f, \"change_ns\": %.1f, \"lookup_ns\": %.1f, \"walk_ns\": %.2f",
              build, change, look_up, walk);
}

// Std, Absl, Boost, ours, and ours whose nodes stay; `void` where there is none.
template <typename Std, typename Absl, typename Boost, typename Ours, typename Still>
void run_whose(const ContainerSettings &settings, Checksum &sum) {
  if (settings.whose == "std") return run_map<Std>(settings, sum);
  if (settings.whose == "abut") return run_map<Ours>(settings, sum);
  if constexpr (!std::is_void_v<Still>)
    if (settings.whose == "abut-still") return run_map<Still>(settings, sum);
  if constexpr (!std::is_void_v<Absl>)
    if (settings.whose == "absl") return run_map<Absl>(settings, sum);
  if constexpr (!std::is_void_v<Boost>)
    if (settings.whose == "boost") return run_map<Boost>(settings, sum);
  std::printf("\"missing\": true");
}

#ifdef BENCH_HAS_ABSL
using AbslMap = absl::btree_map<Key, Key>;
using AbslSet = absl::btree_set<Key>;
#else
using AbslMap = void;
using AbslSet = void;
#endif
#ifdef BENCH_HAS_BOOST
using BoostMap = boost::container::map<Key, Key>;
using BoostSet = boost::container::set<Key>;
#else
using BoostMap = void;
using BoostSet = void;
#endif

} // namespace

void run_keyed(const ContainerSettings &settings, Checksum &sum) {
  using std::less;
  if (settings.what == "map")
    run_whose<std::map<Key, Key>, AbslMap, BoostMap, adcock::map<Key, Key>,
              adcock::map<Key, Key, less<Key>, kStill>>(settings, sum);
  else if (settings.what == "set")
    run_whose<std::set<Key>, AbslSet, BoostSet, adcock::set<Key>,
              adcock::set<Key, less<Key>, kStill>>(settings, sum);
  else
    run_whose<std::unordered_map<Key, Key>, void, void, adcock::unordered_map<Key, Key>, void>(
        settings, sum);
}

} // namespace bench
