// Containers for a debugger to print.
#include <abut/list.hpp>
#include <abut/map.hpp>
#include <abut/set.hpp>
#include <abut/stable_map.hpp>
#include <abut/stable_set.hpp>
#include <string>

namespace {
struct Large {
  long number;
  char more[200];
};
} // namespace

[[gnu::noinline]] void stop() { asm volatile(""); }

int main() {
  abut::map<int, std::string> map{{2, "two"}, {1, "one"}};
  abut::map<int, Large> boxed;
  boxed[7].number = 70;
  abut::multiset<short> multiset{3, 1, 3};
  abut::set<long> many;
  for (long i = 0; i < 100; ++i) many.insert(i);
  abut::stable_map<long, long> stable;
  for (long i = 0; i < 12; ++i) stable[i] = i * i;
  abut::stable_set<std::string> words{"b", "a"};
  abut::list<int> list{3, 1, 2};
  abut::multimap<int, int> empty;
  stop();
  return map.size() + boxed.size() + multiset.size() + many.size() + stable.size() + words.size() +
                     list.size() + empty.size() ==
                 123
             ? 0
             : 1;
}
