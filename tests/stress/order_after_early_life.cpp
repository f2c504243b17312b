// Whether small blocks of two sizes lie side by side, as under ABUT_ORDER=birth, though a library allocated before the heap
// had read that.
// Usage: order_after_early_life birth|size
#include "support/child.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

using support::require;

int main(int, char **arguments) {
  constexpr int kPairs = 10'000;
  constexpr std::uintptr_t kPage = 4096;
  int side_by_side = 0;
  for (int i = 0; i < kPairs; ++i) {
    const auto first = reinterpret_cast<std::uintptr_t>(std::malloc(24));
    const auto second = reinterpret_cast<std::uintptr_t>(std::malloc(100));
    side_by_side += second - first < kPage;
  }
  if (std::string_view(arguments[1]) == "birth")
    require(side_by_side > kPairs * 9 / 10, "birth order holds whoever allocated before");
  else
    require(side_by_side < kPairs / 10, "in size order two sizes lie apart");
}
