// A list whose elements are inserted all over it, and a map that loses half of its keys: both keep the order in memory in
// which they are walked. Headers only; under any heap.
#include <abut/move/list.hpp>
#include <abut/move/map.hpp>

#include <cstdint>
#include <iostream>
#include <numeric>

int main() {
  abut::list<std::uint64_t> list;
  auto place = list.begin();
  for (std::uint64_t value = 0; value < 100'000; ++value) {
    place = list.insert(place, value); // what this returns is good until the next insertion
    if (value % 7 == 0) place = list.begin();
  }

  abut::map<std::uint64_t, std::uint64_t> map;
  for (std::uint64_t key = 0; key < 100'000; ++key) map[key * 2654435761 % 1'000'003] = key;
  for (std::uint64_t key = 0; key < 1'000'003; key += 2) map.erase(key);

  std::cout << "list " << std::accumulate(list.begin(), list.end(), std::uint64_t{0}) << ", map "
            << map.size() << '\n';
}
