// A list that is sorted, and a map that loses half of its keys: both keep the order in memory in which they are walked.
// Headers only; under any heap.
#include <abut/list.hpp>
#include <abut/map.hpp>

#include <cstdint>
#include <iostream>
#include <numeric>

int main() {
  abut::list<std::uint64_t> list;
  for (std::uint64_t value = 0; value < 100'000; ++value)
    list.push_back(value * 2654435761 % 1'000'003);
  list.sort(); // and the elements lie in that order

  abut::map<std::uint64_t, std::uint64_t> map;
  for (std::uint64_t key = 0; key < 100'000; ++key) map[key * 2654435761 % 1'000'003] = key;
  for (std::uint64_t key = 0; key < 1'000'003; key += 2) map.erase(key);

  std::cout << "list " << std::accumulate(list.begin(), list.end(), std::uint64_t{0}) << ", map "
            << map.size() << '\n';
}
