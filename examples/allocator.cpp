// Owners whose parts lie beside them: by abut::allocator in the standard's containers, by abut::near_resource in those of
// std::pmr. No library is linked; under abut the hints take effect, elsewhere they are plain requests.
#include <abut/allocator.hpp>

#include <cstdint>
#include <iostream>
#include <memory>
#include <memory_resource>
#include <string>
#include <vector>

namespace {

struct Order {
  std::uint64_t number = 0;
  // The items lie near the order: they are used together.
  std::vector<int, abut::allocator<int>> items{abut::allocator<int>(this)};
};

// Every string and the table of them lie near the article.
struct Article {
  abut::near_resource beside_me{this};
  std::pmr::vector<std::pmr::string> lines{&beside_me};
};

} // namespace

int main() {
  std::vector<std::unique_ptr<Order>> orders;
  std::uint64_t sum = 0;
  for (std::uint64_t number = 0; number < 10'000; ++number) {
    auto &order = *orders.emplace_back(std::make_unique<Order>());
    order.number = number;
    for (int item = 0; item < 8; ++item) order.items.push_back(item);
  }
  for (const auto &order : orders)
    for (const int item : order->items) sum += order->number * static_cast<std::uint64_t>(item);

  auto article = std::make_unique<Article>();
  for (int line = 0; line < 100; ++line)
    article->lines.emplace_back("a line that is too long to lie in the string itself");
  std::cout << "sum " << sum << ", lines " << article->lines.size() << '\n';
}
