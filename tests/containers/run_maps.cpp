// Containers whose elements move.
#include "abut/map.hpp"
#include "abut/set.hpp"
#include "ordered_run.hpp"

namespace abut::fuzz {

void run_maps(Bytes &bytes, unsigned kind) {
  using Safe = Guarded<true>;
  using Risky = Guarded<false>;
  switch (kind % 5) {
  case 0:
    OrderedRun<map<int, Safe, ThrowingLess, CountingAllocator<std::pair<const int, Safe>>>, false>()
        .run(bytes);
    break;
  case 1:
    OrderedRun<map<int, Risky, ThrowingLess, CountingAllocator<std::pair<const int, Risky>>>,
               false>()
        .run(bytes);
    break;
  case 2:
    OrderedRun<multimap<int, Safe, ThrowingLess, CountingAllocator<std::pair<const int, Safe>>>,
               true>()
        .run(bytes);
    break;
  case 3: OrderedRun<set<int, std::less<>, CountingAllocator<int>>, false>().run(bytes); break;
  default: OrderedRun<multiset<int, ThrowingLess, CountingAllocator<int>>, true>().run(bytes);
  }
}

} // namespace abut::fuzz
