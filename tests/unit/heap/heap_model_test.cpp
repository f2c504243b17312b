// The whole heap, driven at random: every block holds a pattern of its own, so that an overlap, a loss or a
// stray write shows wherever it happens.
#include "heap/heap.hpp"

#include "helpers/heap_calls.hpp"
#include "helpers/option_setting.hpp"
#include "support/pattern.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <vector>

namespace abut::heap {
namespace {

struct Live {
  void *memory;
  size_t bytes;
  uint64_t key;
};

class HeapModel {
public:
  explicit HeapModel(uint64_t seed) : random_(seed) {}
  ~HeapModel() {
    while (!live_.empty()) free_at(live_.size() - 1);
  }

  // With `growing`, more is allocated than freed.
  void step(bool growing) {
    const uint64_t choice = random_.below(20);
    if (live_.empty() || choice < (growing ? 11U : 6U))
      add();
    else if (choice < 17)
      free_at(random_.below(live_.size()));
    else
      resize_at(random_.below(live_.size()));
  }

  void check_all() const {
    for (const Live &block : live_) check(block);
  }

  size_t blocks() const { return live_.size(); }

private:
  // Mostly small, now and then of any tier, and seldom more than a few megabytes in all.
  size_t any_size() {
    switch (random_.below(64)) {
    case 0: return random_.size_up_to(6 * MiB);
    case 1: return random_.size_up_to(256 * KiB);
    case 2:
    case 3:
    case 4:
    case 5: return random_.size_up_to(kMediumMax);
    default: return random_.below(kSmallMax + 1);
    }
  }

  void add() {
    const size_t bytes = any_size();
    void *memory = nullptr;
    switch (random_.below(8)) {
    case 0:
      memory = allocate_zeroed(bytes);
      EXPECT_TRUE(support::all_zero(memory, bytes)) << bytes;
      break;
    case 1: {
      const size_t align = size_t{1} << random_.below(14);
      memory = allocate_aligned(align, bytes);
      EXPECT_EQ(address_of(memory) % align, 0U);
      break;
    }
    default:
      memory = allocate(bytes);
      EXPECT_EQ(address_of(memory) % (bytes <= kTinyMax ? 8 : 16), 0U) << bytes;
    }
    ASSERT_NE(memory, nullptr);
    EXPECT_GE(usable_size("test", memory), bytes);
    expect_apart(memory, bytes);
    live_.push_back({memory, bytes, random_.next()});
    by_address_[address_of(memory)] = bytes;
    support::fill(memory, bytes, live_.back().key);
  }

  void free_at(size_t index) {
    const Live gone = live_[index];
    check(gone);
    live_[index] = live_.back();
    live_.pop_back();
    by_address_.erase(address_of(gone.memory));
    if (!release(gone.memory)) {
      EXPECT_EQ(release_slow("free", gone.memory), Release::done);
    }
  }

  void resize_at(size_t index) {
    Live &block = live_[index];
    check(block);
    const size_t bytes = any_size() + 1;
    by_address_.erase(address_of(block.memory));
    const Resized resized = resize("realloc", block.memory, bytes);
    ASSERT_NE(resized.memory, nullptr);
    EXPECT_TRUE(support::holds(resized.memory, std::min(block.bytes, bytes), block.key))
        << block.bytes << " to " << bytes;
    expect_apart(resized.memory, bytes);
    block = {resized.memory, bytes, random_.next()};
    by_address_[address_of(block.memory)] = bytes;
    support::fill(block.memory, bytes, block.key);
  }

  static void check(const Live &block) {
    EXPECT_TRUE(support::holds(block.memory, block.bytes, block.key))
        << block.bytes << " bytes at " << block.memory;
  }

  // No live block may reach into the new one, nor the new one into it.
  void expect_apart(const void *memory, size_t bytes) const {
    const Address begin = address_of(memory);
    const auto next = by_address_.lower_bound(begin);
    if (next != by_address_.end()) {
      EXPECT_GE(next->first, begin + std::max<size_t>(bytes, 1)) << bytes;
    }
    if (next != by_address_.begin()) {
      const auto previous = std::prev(next);
      EXPECT_LE(previous->first + previous->second, begin) << bytes;
    }
  }

  support::Random random_;
  std::vector<Live> live_;
  std::map<Address, size_t> by_address_;
};

class HeapUnderRandomLoad : public testing::TestWithParam<uint64_t> {};

TEST_P(HeapUnderRandomLoad, KeepsEveryBlockAsItWasWritten) {
  HeapModel model(GetParam());
  for (int phase = 0; phase < 7; ++phase) {
    for (int step = 0; step < 3000; ++step) model.step(phase % 2 == 0);
    model.check_all();
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(model.blocks(), 0U);
}

TEST_P(HeapUnderRandomLoad, KeepsEveryBlockWhilePagesGoBackAtOnce) {
  const test::OptionSetting retain(Option::retain_mb, 0);
  const test::OptionSetting decay(Option::decay_ms, 0);
  HeapModel model(GetParam() + 1000);
  for (int phase = 0; phase < 7; ++phase) {
    for (int step = 0; step < 1500; ++step) model.step(phase % 2 == 0);
    trim();
    model.check_all();
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(model.blocks(), 0U);
}

// Of one class alone: some blocks of a page that is full are freed while another page is in use. It is hardly ever so where sizes
// are mixed.
class HeapOfOneClass : public testing::TestWithParam<unsigned> {
protected:
  ~HeapOfOneClass() override {
    for (void *block : blocks_) free(block);
  }

  void add() {
    const bool is_aligned = GetParam() >= kFirstAligned && GetParam() < kTinyClass;
    const size_t bytes = class_bytes(GetParam());
    blocks_.push_back(is_aligned ? allocate_aligned(std::min(bytes, 4 * KiB), bytes)
                                 : allocate(bytes));
    ASSERT_TRUE(live_.insert(blocks_.back()).second) << "it is live";
  }
  void remove(size_t index) {
    live_.erase(blocks_[index]);
    free(blocks_[index]);
    blocks_.erase(blocks_.begin() + static_cast<ptrdiff_t>(index));
  }
  static void free(void *block) {
    if (!release(block)) release_slow("free", block);
  }

  std::vector<void *> blocks_;
  std::set<void *> live_;
};

TEST_P(HeapOfOneClass, HandsOutNoLiveBlock) {
  const size_t page = kMeasures[GetParam()].blocks;
  for (size_t round = 0; round < 32; ++round) {
    const size_t first = blocks_.size();
    for (size_t i = 0; i < page + 4 + round % 4; ++i) ASSERT_NO_FATAL_FAILURE(add());
    remove(blocks_.size() - 2);
    const size_t some = page / 16 + 1;
    for (size_t i = 0; i < some; ++i) remove(first + page / 8);
    for (size_t i = 0; i < some; ++i) ASSERT_NO_FATAL_FAILURE(add());
  }
}

INSTANTIATE_TEST_SUITE_P(Classes, HeapOfOneClass, testing::Range(1U, kSizeClasses));

INSTANTIATE_TEST_SUITE_P(Seeds, HeapUnderRandomLoad, testing::Range(uint64_t{1}, uint64_t{5}));

} // namespace
} // namespace abut::heap
