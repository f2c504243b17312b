// What a sample of accesses says of pools, on objects that lie in them.
#include "placement/pools/usage.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

namespace abut::group {
namespace {

// Two pools, and objects in them and in the plain heap, a line each.
class UsageTest : public testing::Test {
protected:
  static constexpr PoolId kOne = 7, kOther = 9;
  static constexpr size_t kObjects = 40;

  UsageTest() {
    heap::allocate(64);
    heap::LocalHeap *keeper = heap::current;
    in_one = objects(*heap::heap_registry.open_side(keeper, kOne));
    in_other = objects(*heap::heap_registry.open_side(keeper, kOther));
    plain = objects(*keeper);
  }

  static std::vector<Address> objects(heap::LocalHeap &heap) {
    std::vector<Address> made;
    while (made.size() < kObjects) {
      const auto at = reinterpret_cast<Address>(take(heap, heap::small_class(128)));
      made.push_back(round_up(at, kLineBytes));
    }
    return made;
  }

  // A burst that goes to the first words of objects in turn.
  void burst(const std::vector<const std::vector<Address> *> &turn, unsigned words = 1) {
    accesses->count = 0;
    for (size_t i = 0; i < kObjects; ++i)
      for (const auto *objects : turn)
        for (unsigned word = 0; word < words; ++word)
          accesses->at[accesses->count++] = (*objects)[i] + word * sizeof(uint64_t);
    usage->take(*accesses);
  }

  std::unique_ptr<Usage> usage = std::make_unique<Usage>();
  std::unique_ptr<sample::Accesses> accesses = std::make_unique<sample::Accesses>();
  std::vector<Address> in_one, in_other, plain;
};

TEST_F(UsageTest, PoolsThatAreVisitedInTurnAreUsedTogether) {
  burst({&in_one, &in_other});
  EXPECT_EQ(usage->after(kOne, kOther), Together::unknown) << "so few visits say nothing";
  burst({&in_one, &in_other});
  EXPECT_EQ(usage->after(kOne, kOther), Together::mostly);
  EXPECT_EQ(usage->after(kOther, kOne), Together::mostly);
}

TEST_F(UsageTest, APoolThatIsLeftForThePlainHeapIsSeldomUsedWithOthers) {
  for (int i = 0; i < 3; ++i) burst({&in_one, &plain});
  burst({&in_other});
  EXPECT_EQ(usage->after(kOne, kOther), Together::seldom);
  EXPECT_EQ(usage->of(kOther).visits, kObjects - 1) << "the last leads nowhere";
}

TEST_F(UsageTest, AWalkThroughOnePoolSaysNothingOfOthers) {
  for (int i = 0; i < 10; ++i) burst({&in_one});
  EXPECT_EQ(usage->departures(kOne), 0U);
  EXPECT_EQ(usage->after(kOne, kOther), Together::unknown);
}

TEST_F(UsageTest, AVisitLastsAsLongAsTheLineIsTheSame) {
  burst({&in_one}, 4);
  EXPECT_EQ(usage->of(kOne).visits, kObjects - 1);
  EXPECT_EQ(usage->of(kOne).lines, kObjects);
  EXPECT_EQ(usage->of(kOne).words, 4 * kObjects);
}

TEST_F(UsageTest, APoolOfWhoseLinesLittleIsUsedDoesNotPay) {
  for (int i = 0; i < 8; ++i) {
    burst({&in_one}, 1);
    burst({&in_other}, 3);
    burst({&plain}, 4);
  }
  EXPECT_TRUE(usage->is_thin(kOne));
  EXPECT_FALSE(usage->is_thin(kOther)) << "half as much as elsewhere";
}

TEST_F(UsageTest, FewLinesSayNothing) {
  burst({&in_one}, 1);
  burst({&plain}, 8);
  EXPECT_FALSE(usage->is_thin(kOne));
}

TEST_F(UsageTest, OtherAddressesAreNobodys) {
  accesses->count = 2;
  accesses->at[0] = accesses->at[1] = reinterpret_cast<Address>(heap::PageSegment::of(in_one[0]));
  usage->take(*accesses);
  EXPECT_EQ(usage->of(kNoPool).lines, 0U);
}

// The thread that is sampled reads what others have.
TEST_F(UsageTest, ABlockOnAPageThatComesAndGoesIsThePoolsOrNobodys) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "what describes the page is read while it changes, a word or a byte at a time";
#endif
  std::atomic<Address> at{0};
  std::atomic<bool> over{false};
  std::thread other([&] {
    heap::allocate(64);
    heap::LocalHeap *side = heap::heap_registry.open_side(heap::current, kOne);
    while (!over) {
      void *block = take(*side, heap::small_class(128));
      at = reinterpret_cast<Address>(block);
      if (!heap::release(block)) heap::release_slow("free", block);
      side->close();
    }
  });
  while (at == 0) std::this_thread::yield();
  for (int i = 0; i < 5000; ++i) {
    accesses->count = 1000;
    std::fill_n(accesses->at, accesses->count, at.load());
    usage->take(*accesses);
  }
  over = true;
  other.join();
  EXPECT_EQ(usage->of(kNoPool).lines, 0U);
}

} // namespace
} // namespace abut::group
