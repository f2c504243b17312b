// Objects of two classes with virtual functions, linked and gone through: what they are is to be found without debug
// information and symbols.
#include <cstdio>

namespace book {

struct Order {
  virtual ~Order() = default;
  virtual long worth() const { return price; }
  long price = 0;
  Order *next = nullptr;
};

struct Limit : Order {
  long worth() const override { return price + 1; }
  long levels[4] = {};
};

} // namespace book

__attribute__((noinline)) book::Order *make(int i) {
  if (i % 2 == 0) return new book::Order;
  auto *limit = new book::Limit;
  limit->levels[0] = i;
  return limit;
}

int main() {
  book::Order *first = nullptr;
  for (int i = 0; i < 4000; ++i) {
    book::Order *order = make(i);
    order->next = first;
    first = order;
  }
  long sum = 0;
  for (const book::Order *order = first; order != nullptr; order = order->next)
    sum += order->worth();
  while (first != nullptr) {
    book::Order *next = first->next;
    delete first;
    first = next;
  }
  std::printf("%ld\n", sum);
}
