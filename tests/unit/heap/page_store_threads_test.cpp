#include "helpers/page_store_fixture.hpp"

#include "support/random.hpp"

#include <atomic>
#include <thread>

namespace abut::heap {
namespace {

struct Filled {
  HeldRow row;
  uint64_t key;

  void fill() const { support::fill(row.memory(), row.bytes(), key); }
  bool holds() const { return support::holds(row.memory(), row.bytes(), key); }
};

class PageStoreThreads : public PageStoreFixture {
protected:
  // Takes, fills, checks, resizes and frees rows; false at the first wrong byte.
  bool work(uint64_t seed) {
    support::Random random(seed);
    std::vector<Filled> filled;
    bool right = true;
    for (uint64_t step = 0; step < 1500 && right; ++step) {
      if (filled.size() < 12 && random.below(2) != 0) {
        filled.push_back({take_row(store, {length(random)}), random.next()});
        const HeldRow &row = filled.back().row;
        right = row.page != nullptr && (!row.is_clean || row.reads_as_zero());
        if (right) filled.back().fill();
      } else if (!filled.empty()) {
        const size_t index = random.below(filled.size());
        right = filled[index].holds();
        change(random, filled, index);
      }
      if (step % 64 == 0) give_back_before(os::coarse_milliseconds());
    }
    for (const Filled &one : filled) {
      right = right && one.holds();
      store.give_back(one.row.page, one.row.pages, one.row.bytes());
    }
    return right;
  }

  static unsigned length(support::Random &random) {
    return static_cast<unsigned>(random.size_up_to(8));
  }

  void change(support::Random &random, std::vector<Filled> &filled, size_t index) {
    Filled &one = filled[index];
    if (random.below(2) != 0 && resize_row(store, one.row, length(random))) {
      one.fill();
    } else {
      store.give_back(one.row.page, one.row.pages, one.row.bytes());
      filled.erase(filled.begin() + static_cast<ptrdiff_t>(index));
    }
  }
};

TEST_F(PageStoreThreads, RowsKeepApartWhilePagesGoBack) {
  retain.set(0);
  decay.set(0);
  const size_t taken = pages_taken.value();
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (uint64_t seed = 1; seed <= 4; ++seed)
    threads.emplace_back([&, seed] { right += work(seed); });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(right, 4) << "a row was lost, overlapped another, or was wrongly said to be clean";
  EXPECT_EQ(pages_taken.value(), taken);
}

} // namespace
} // namespace abut::heap
