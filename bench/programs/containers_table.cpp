// Containers beside their peers: a table of nanoseconds an operation, and of bytes an element. Peers that were not
// installed when it was built are left out. Queries are drawn at random, so that no branch is learnt by heart. "within":
// no figure of any run is further from its median.
#include "abut/list.hpp"
#include "abut/map.hpp"
#include "abut/stable_map.hpp"
#include "common/figures.hpp"
#include "common/options.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <malloc.h>
#include <map>
#include <new>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#ifdef BENCH_HAS_ABSL
#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>
#include <absl/container/node_hash_map.h>
#endif
#ifdef BENCH_HAS_BOOST
#include <boost/container/list.hpp>
#include <boost/container/map.hpp>
#endif
#if __has_include(<boost/unordered/unordered_flat_map.hpp>) // since Boost 1.81
#define BENCH_HAS_FLAT_MAP
#include <boost/unordered/unordered_flat_map.hpp>
#endif
#if __has_include(<plf_list.h>) // beside the file that it includes
#define BENCH_HAS_PLF_LIST
#include <plf_list.h>
#endif
#if __has_include(<boost/unordered/unordered_node_map.hpp>) // since Boost 1.82
#define BENCH_HAS_NODE_MAP
#include <boost/unordered/unordered_node_map.hpp>
#endif

namespace {

using namespace bench;

template <typename Key>
Key key_of(std::uint64_t number) {
  if constexpr (std::is_same_v<Key, std::string>)
    return "key-" + std::to_string(number);
  else
    return number;
}

// A container is made so often that each row takes about a million operations.
template <typename Map>
std::vector<double> map_row(std::size_t elements) {
  using Key = typename Map::key_type;
  std::mt19937_64 random(1);
  std::vector<Key> keys;
  for (std::size_t i = 0; i < elements; ++i) keys.push_back(key_of<Key>(random() | 1));
  std::vector<Key> sorted(keys);
  std::sort(sorted.begin(), sorted.end());
  const std::size_t queries = std::size_t{1} << 20;
  std::vector<Key> hits;
  std::vector<Key> misses;
  for (std::size_t i = 0; i < queries; ++i) {
    hits.push_back(keys[random() % elements]);
    misses.push_back(key_of<Key>(random() & ~std::uint64_t{1}));
  }
  const std::size_t rounds = std::max<std::size_t>(1, queries / elements);
  const double all = static_cast<double>(rounds);
  double insert = 0;
  double in_order = 0;
  double walk = 0;
  double erase = 0;
  double churn = 0;
  double range = 0;
  double hit = 0;
  double miss = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    std::shuffle(keys.begin(), keys.end(), random);
    Map map;
    insert += nanoseconds(elements, [&] {
      for (const Key &key : keys) map.emplace(key, 1);
    });
    walk += nanoseconds(elements, [&] {
      for (const auto &element : map) result += element.second;
    });
    if (round == 0) {
      hit = nanoseconds(queries, [&] {
        for (const Key &key : hits) result += map.find(key)->second;
      });
      miss = nanoseconds(misses.size(), [&] {
        for (const Key &key : misses) result += map.find(key) != map.end();
      });
      if constexpr (requires { map.lower_bound(keys[0]); }) {
        range = nanoseconds(queries, [&] {
          for (const Key &key : hits) {
            auto at = map.lower_bound(key);
            for (int i = 0; i < 10 && at != map.end(); ++i, ++at) result += at->second;
          }
        });
      }
    }
    churn += nanoseconds(elements, [&] {
      for (std::size_t i = 0; i + 1 < elements; i += 2) {
        map.erase(keys[i]);
        map.emplace(keys[i], 2);
      }
    });
    std::shuffle(keys.begin(), keys.end(), random);
    erase += nanoseconds(elements, [&] {
      for (const Key &key : keys) map.erase(key);
    });
    Map ordered;
    in_order += nanoseconds(elements, [&] {
      for (const Key &key : sorted) ordered.emplace(key, 1);
    });
  }
  Map map;
  const double bytes = bytes_for(elements, [&] {
    for (const Key &key : keys) map.emplace(key, 1);
  });
  return {insert / all, in_order / all, hit,         miss, range,
          walk / all,   churn / all,    erase / all, bytes};
}

template <typename List>
std::vector<double> list_row(std::size_t elements) {
  std::mt19937_64 random(1);
  const std::size_t rounds = std::max<std::size_t>(1, (std::size_t{1} << 20) / elements);
  double push = 0;
  double born = 0;
  double sort = 0;
  double sorted = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    List list;
    push += nanoseconds(elements, [&] {
      for (std::size_t i = 0; i < elements; ++i) list.push_back(random());
    });
    const auto walk = [&] {
      for (const auto value : list) result += value;
    };
    born += nanoseconds(elements, walk);
    sort += nanoseconds(elements, [&] { list.sort(); });
    sorted += nanoseconds(elements, walk);
  }
  List list;
  const double bytes = bytes_for(elements, [&] {
    for (std::size_t i = 0; i < elements; ++i) list.push_back(i);
  });
  const auto all = static_cast<double>(rounds);
  return {push / all, born / all, sort / all, sorted / all, bytes};
}

// Many small containers of 0 to 20 elements.
template <typename Container>
std::vector<double> small_row(std::size_t containers) {
  std::mt19937_64 random(1);
  std::vector<Container> many;
  const auto fill = [&] {
    many = std::vector<Container>(containers);
    for (Container &one : many) {
      for (std::uint64_t left = random() % 21; left > 0; --left) {
        if constexpr (requires { one.push_back(1); })
          one.push_back(left);
        else
          one.emplace(random(), left);
      }
    }
  };
  const double build = nanoseconds(containers, fill);
  const double walk = nanoseconds(containers, [&] {
    for (const Container &one : many)
      for (const auto &element : one) {
        if constexpr (requires { element.second; })
          result += element.second;
        else
          result += element;
      }
  });
  std::vector<Container>().swap(many); // its memory, too: it is counted again
  const double bytes = bytes_for(containers, fill);
  return {build, walk, bytes};
}

template <typename Map>
void measure_map(const char *name, std::size_t elements) {
  measure(name, elements, [&] { return map_row<Map>(elements); });
}
template <typename List>
void measure_list(const char *name, std::size_t elements) {
  measure(name, elements, [&] { return list_row<List>(elements); });
}
template <typename Container>
void measure_small(const char *name, std::size_t containers) {
  measure(name, containers, [&] { return small_row<Container>(containers); });
}

template <typename Key>
void measure_maps(std::size_t elements) {
  using Value = std::uint64_t;
  measure_map<std::map<Key, Value>>("std::map", elements);
#ifdef BENCH_HAS_BOOST
  measure_map<boost::container::map<Key, Value>>("boost::container::map", elements);
#endif
  measure_map<abut::stable_map<Key, Value>>("abut::stable_map", elements);
#ifdef BENCH_HAS_ABSL
  measure_map<absl::btree_map<Key, Value>>("absl::btree_map", elements);
#endif
  measure_map<abut::map<Key, Value>>("abut::map", elements);
  measure_map<std::unordered_map<Key, Value>>("std::unordered_map", elements);
#ifdef BENCH_HAS_ABSL
  measure_map<absl::node_hash_map<Key, Value>>("absl::node_hash_map", elements);
  measure_map<absl::flat_hash_map<Key, Value>>("absl::flat_hash_map", elements);
#endif
#ifdef BENCH_HAS_NODE_MAP
  measure_map<boost::unordered_node_map<Key, Value>>("boost::unordered_node_map", elements);
#endif
#ifdef BENCH_HAS_FLAT_MAP
  measure_map<boost::unordered_flat_map<Key, Value>>("boost::unordered_flat_map", elements);
#endif
}

} // namespace

// Not inlined: the compiler takes their insides for a mismatch.
[[gnu::noinline]] void *operator new(std::size_t bytes) {
  void *memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  if (bench::counts) bench::counted += malloc_usable_size(memory) + sizeof(std::size_t);
  return memory;
}
[[gnu::noinline]] void operator delete(void *memory) noexcept {
  if (bench::counts)
    bench::counted -= memory == nullptr ? 0 : malloc_usable_size(memory) + sizeof(std::size_t);
  std::free(memory);
}
void operator delete(void *memory, std::size_t) noexcept { operator delete(memory); }

int main(int argc, char **argv) {
  std::uint64_t elements = 0;
  std::uint64_t small = 1'000'000;
  std::string_view keys = "integer";
  bench::Options options("containers_table", "containers beside their peers, in nanoseconds");
  options.number("elements", elements, {0, 100'000'000},
                 "of each container; 0: 10^2, 10^4, 10^6, 4*10^6; 1: only small ones");
  options.number("small", small, {0, 10'000'000}, "how many small containers");
  options.choice("keys", keys, {"integer", "string"}, "what maps have for keys");
  options.text("only", bench::only, "containers whose names contain it");
  options.number("runs", bench::runs, {1, 100}, "of each row, of which medians are shown");
  options.flag("markdown", bench::markdown, "tables for a page");
  options.parse(argc, argv);
  std::vector<std::size_t> sizes{100, 10'000, 1'000'000, 4'000'000};
  if (elements > 0) sizes = {elements};
  if (elements == 1) sizes.clear();
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (!sizes.empty())
    bench::head({"elements", "insert", "in order", "find", "miss", "range 10", "walk", "churn",
                 "erase", "bytes"});
  for (const std::size_t size : sizes) {
    if (keys == "integer")
      measure_maps<std::uint64_t>(size);
    else
      measure_maps<std::string>(size);
  }
  if (keys != "integer") sizes.clear(); // lists have no keys
  if (!sizes.empty()) bench::head({"elements", "push", "as born", "sort", "sorted", "bytes"});
  for (const std::size_t size : sizes) {
    measure_list<std::list<std::uint64_t>>("std::list", size);
#ifdef BENCH_HAS_BOOST
    measure_list<boost::container::list<std::uint64_t>>("boost::container::list", size);
#endif
#ifdef BENCH_HAS_PLF_LIST
    measure_list<plf::list<std::uint64_t>>("plf::list", size);
#endif
    measure_list<abut::list<std::uint64_t>>("abut::list", size);
  }
  if (small > 0) {
    using Key = std::uint64_t;
    bench::head({"small ones", "build", "walk", "bytes"});
    measure_small<std::map<Key, Key>>("std::map", small);
#ifdef BENCH_HAS_ABSL
    measure_small<absl::btree_map<Key, Key>>("absl::btree_map", small);
#endif
    measure_small<abut::map<Key, Key>>("abut::map", small);
    measure_small<abut::stable_map<Key, Key>>("abut::stable_map", small);
    measure_small<std::list<Key>>("std::list", small);
#ifdef BENCH_HAS_PLF_LIST
    measure_small<plf::list<Key>>("plf::list", small);
#endif
    measure_small<abut::list<Key>>("abut::list", small);
  }
}
