// Containers whose elements stay.
#include "abut/stable_map.hpp"
#include "abut/stable_set.hpp"
#include "ordered_run.hpp"

namespace abut::fuzz {

void run_stable_maps(Bytes &bytes, unsigned kind) {
  using Safe = Guarded<true>;
  using Pairs = CountingAllocator<std::pair<const int, Safe>>;
  switch (kind % 4) {
  case 0: OrderedRun<stable_map<int, Safe, ThrowingLess, Pairs>, false>().run(bytes); break;
  case 1: OrderedRun<stable_multimap<int, Safe, ThrowingLess, Pairs>, true>().run(bytes); break;
  case 2:
    OrderedRun<stable_set<int, std::less<>, CountingAllocator<int>>, false>().run(bytes);
    break;
  default:
    OrderedRun<stable_multiset<int, ThrowingLess, CountingAllocator<int>>, true>().run(bytes);
  }
}

} // namespace abut::fuzz
