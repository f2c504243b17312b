#include "placement/friends/placement.hpp"

#include "context/chain_table.hpp"
#include "context/decoder.hpp"
#include "heap/events.hpp"
#include "heap/heap_registry.hpp"
#include "support/child.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>
#include <utility>

namespace abut::near {
namespace {

using sites::Kind;

constexpr Address kSite = 0x7f0000123456;

// A site whose objects go with their group, while only groups are asked.
struct DecideForAGroup : testing::Test {
  DecideForAGroup() {
    sites::table.claim(kSite)->is_pooled = true;
    enable(Policy::pools);
  }
  ~DecideForAGroup() override {
    disable(Policy::pools);
    sites::Site &site = *sites::table.find(kSite);
    site.is_pooled = false;
    site.context = 0;
    sites::table.reset(sites::SiteTable::Which::all);
  }
  static Kind remembered() { return sites::table.find(kSite)->decided(); }
};

TEST_F(DecideForAGroup, TheNextRequestNeedNotAsk) {
  EXPECT_EQ(decide(24, kSite).kind, Kind::pool);
  EXPECT_EQ(remembered(), Kind::pool);
  EXPECT_EQ(decide(24, kSite).kind, Kind::pool);
}

TEST_F(DecideForAGroup, ItAsksWhileGroupsAreFormed) {
  group::formation.is_on = true;
  EXPECT_EQ(decide(24, kSite).kind, Kind::pool);
  EXPECT_EQ(remembered(), Kind::undecided);
  group::formation.is_on = false;
}

TEST_F(DecideForAGroup, ItAsksWhileFriendsAreLookedFor) {
  sites::table.find(kSite)->context = sites::kPlain;
  enable(Policy::friends);
  samples_left = 2 * kSkipCost;
  EXPECT_EQ(decide(24, kSite).kind, Kind::pool);
  EXPECT_EQ(remembered(), Kind::undecided);
  samples_left = 0;
  EXPECT_EQ(decide(24, kSite).kind, Kind::pool);
  EXPECT_EQ(remembered(), Kind::pool) << "friends do nothing for it";
  disable(Policy::friends);
}

TEST_F(DecideForAGroup, WhereNoPoolIsAskedItIsPlain) {
  sites::table.find(kSite)->is_pooled = false;
  EXPECT_FALSE(sites::table.is_plain(kSite));
  EXPECT_EQ(decide(24, kSite).kind, Kind::plain);
  EXPECT_TRUE(sites::table.is_plain(kSite));
}

// A request of a wrapper, from a caller that no request came from before.
struct WrappedRequest : testing::Test {
  static void request_from(Address caller, size_t bytes) {
    uint64_t words[Captured::kMost] = {};
    words[Captured::kReturnAddress] = caller;
    heap::release(allocate(bytes, *reinterpret_cast<const Captured *>(words), kWrapper));
  }
  static Address new_caller() {
    static Address last = kSite;
    return ++last;
  }
  static bool finds_its_caller(size_t bytes) {
    const unsigned known = context::chain_table.entries();
    request_from(new_caller(), bytes);
    return context::chain_table.entries() != known;
  }
};

TEST_F(WrappedRequest, FindsItsCallerInASample) {
  samples_left = kSampleCost;
  EXPECT_TRUE(finds_its_caller(32));
  samples_left = 0;
  EXPECT_FALSE(finds_its_caller(32));
}

TEST_F(WrappedRequest, OfACallerWithoutARuleCountsTwice) {
  const Address caller = new_caller();
  samples_left = kSampleCost;
  request_from(caller, 32);
  samples_left = 4 * kSampleCost;
  request_from(caller, 32);
  EXPECT_EQ(samples_left, 4 * kSampleCost - kVainCost);
  samples_left = 0;
}

TEST_F(WrappedRequest, FindsItsCallerWhereARulePlacesItsSize) {
  ++rules_of_size[heap::small_class(32)];
  EXPECT_TRUE(finds_its_caller(32));
  EXPECT_FALSE(finds_its_caller(48));
  EXPECT_FALSE(finds_its_caller(4000));
  --rules_of_size[heap::small_class(32)];
}

// Each time that the heap has grown by half; no rule places anything.
struct SampleTimes : WrappedRequest {
  SampleTimes() { await_growth(); }
  ~SampleTimes() override {
    end();
    place_in_force = place_;
    heap::events.grown.set_listener(listener_);
  }
  void begin() {
    heap::events.grown.report(held_);
    held_ += held_ / 2;
  }
  static void end() {
    samples_left = 0;
    pause_sampling();
  }

  static constexpr uint32_t kWhole = 2048 * kSampleCost;
  static constexpr int kTimesUntilShort = 8;

private:
  decltype(heap::events.grown.listener()) listener_ = heap::events.grown.listener();
  Place place_ =
      std::exchange(place_in_force, Place{.value = "friends", .friends = Friends::every});
  static inline size_t held_ = size_t{1} << 40; // more than any other test has had
};

TEST_F(SampleTimes, AreShorterAfterTimesInVain) {
  for (int time = 0; time < 12; ++time) {
    begin();
    EXPECT_LE(samples_left, kWhole);
    EXPECT_GE(samples_left, kWhole / 4);
    if (time >= kTimesUntilShort) {
      EXPECT_EQ(samples_left, kWhole / 4);
    }
    end();
  }
  EXPECT_FALSE(is_active());
}

TEST_F(SampleTimes, HaveTheirFullLengthWhereTheyMeetANewCaller) {
  for (int time = 0; time < kTimesUntilShort; ++time) {
    begin();
    end();
  }
  begin();
  EXPECT_EQ(samples_left, kWhole / 4);
  request_from(new_caller(), 32);
  EXPECT_EQ(samples_left, kWhole - kVainCost);
  request_from(new_caller(), 32);
  EXPECT_EQ(samples_left, kWhole - 2 * kVainCost) << "once";
}

// A request for a new chain holds the chains' lock while it takes the decoder's.
TEST(Start, AForkTakesTheDecodersLockAfterThatOfTheChains) {
  const support::Outcome outcome = support::in_child([] {
    start(declared_place(0));
    const auto is_taken = [](os::SpinLock &lock) {
      if (!lock.try_lock()) return true;
      lock.unlock();
      return false;
    };
    const std::unique_lock chains(context::chain_table.lock());
    std::thread([] {
      heap::heap_registry.lock_all();
      heap::heap_registry.unlock_all();
    }).detach();
    while (!is_taken(sites::table.lock())) std::this_thread::yield(); // the last before the chains'
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    support::require(!is_taken(context::decoder_lock()), "the decoder's is still to be had");
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

} // namespace
} // namespace abut::near
