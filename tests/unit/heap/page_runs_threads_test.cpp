#include "heap/page_runs.hpp"

#include "helpers/option_setting.hpp"
#include "support/pattern.hpp"
#include "support/random.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace abut::heap {
namespace {

struct Held {
  Run run;
  uint64_t key;

  void *memory() const { return reinterpret_cast<void *>(run.address()); }
  size_t bytes() const { return Pages{run.pages.count}.bytes(); }
};

class PageRunsThreads : public testing::Test {
protected:
  // Takes, fills, checks, resizes and frees runs; false at the first wrong byte.
  bool work(uint64_t seed) {
    support::Random random(seed);
    std::vector<Held> held;
    bool right = true;
    for (uint64_t step = 0; step < 1500 && right; ++step) {
      if (held.size() < 12 && random.below(2) != 0) {
        held.push_back(
            {runs.allocate({static_cast<uint32_t>(random.size_up_to(64))}, 1), random.next()});
        right = static_cast<bool>(held.back().run);
        right = right && (!held.back().run.clean ||
                          support::all_zero(held.back().memory(), held.back().bytes()));
        if (right) support::fill(held.back().memory(), held.back().bytes(), held.back().key);
      } else if (!held.empty()) {
        const size_t index = random.below(held.size());
        right = support::holds(held[index].memory(), held[index].bytes(), held[index].key);
        change(random, held, index);
      }
      if (step % 64 == 0) runs.decay(os::coarse_milliseconds());
    }
    for (const Held &one : held) {
      right = right && support::holds(one.memory(), one.bytes(), one.key);
      runs.release(one.run.segment, one.run.pages);
    }
    return right;
  }

  void change(support::Random &random, std::vector<Held> &held, size_t index) {
    Held &one = held[index];
    const auto count = static_cast<uint32_t>(random.size_up_to(64));
    if (random.below(2) != 0 && runs.resize(one.run.segment, one.run.pages, {count})) {
      one.run.pages.count = count;
      support::fill(one.memory(), one.bytes(), one.key);
    } else {
      runs.release(one.run.segment, one.run.pages);
      held.erase(held.begin() + static_cast<ptrdiff_t>(index));
    }
  }

  PageRuns runs;
};

TEST_F(PageRunsThreads, KeepRunsApartWhilePagesGoBack) {
  const test::OptionSetting retain(Option::retain_mb, 0);
  const test::OptionSetting decay(Option::decay_ms, 0);
  const size_t taken = pages_taken.value();
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (uint64_t seed = 1; seed <= 4; ++seed)
    threads.emplace_back([&, seed] { right += work(seed); });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(right, 4) << "a run was lost, overlapped another, or was wrongly said to be clean";
  EXPECT_EQ(pages_taken.value(), taken);
  runs.trim();
  size_t segments = 0;
  runs.each_segment([&](RunSegment &) { ++segments; });
  EXPECT_EQ(segments, 0U);
}

} // namespace
} // namespace abut::heap
