// Memory that a program frees goes back to the kernel, in whatever order and by whatever thread it
// is freed.
#include "support/process_memory.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <barrier>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

namespace {

// About `total` bytes in blocks of 16 to 512 bytes, all touched. Its own table is outside the heap
// and not counted.
class Litter {
public:
  explicit Litter(std::size_t total)
      : count_(total / 264), blocks_(static_cast<void **>(support::map_bytes(bytes()))) {
    support::Random random(3);
    for (std::size_t i = 0; i < count_; ++i) {
      const std::size_t size = 16 + random.below(497);
      blocks_[i] = std::memset(std::malloc(size), 1, size);
    }
  }
  Litter(const Litter &) = delete;
  Litter &operator=(const Litter &) = delete;
  ~Litter() { support::unmap_bytes(blocks_, bytes()); }

  void reverse() { std::reverse(blocks_, blocks_ + count_); }

  void shuffle() {
    support::Random random(4);
    for (std::size_t i = count_; i > 1; --i) std::swap(blocks_[i - 1], blocks_[random.below(i)]);
  }

  void free_all() {
    for (std::size_t i = 0; i < count_; ++i) std::free(blocks_[i]);
  }

  [[nodiscard]] std::size_t bytes() const { return count_ * sizeof(void *); }

private:
  std::size_t count_;
  void **blocks_;
};

// What a test adds to the process's memory, and whether it goes again.
class Rise {
public:
  // Call when the memory is in use; `apart` is what the test holds outside the heap.
  void record_peak(std::size_t apart) { peak_ = support::resident_bytes() - apart; }

  [[nodiscard]] std::size_t bytes() const { return peak_ - before_; }

  // The program goes on with a little work, as programs do, until all but a tenth is gone. The wait
  // is only a bound on how long the heap may hold on; it ends as soon as the memory is back.
  void expect_undone() const {
    const std::size_t bound = before_ + bytes() / 10;
    for (int wait = 0; wait < 3000 && support::resident_bytes() >= bound; ++wait) {
      void *block = std::malloc(100);
      *static_cast<volatile char *>(block) = 1;
      std::free(block);
      usleep(5000);
    }
    EXPECT_LT(support::resident_bytes(), bound)
        << "from " << before_ << " bytes it rose to " << peak_;
  }

private:
  std::size_t before_ = support::resident_bytes();
  std::size_t peak_ = 0;
};

class OneGibibyteOfSmallBlocks : public testing::Test {
protected:
  static void expect_returned(void (*arrange)(Litter &)) {
    Rise rise;
    {
      Litter litter(std::size_t{1} << 30);
      arrange(litter);
      rise.record_peak(litter.bytes());
      litter.free_all();
    }
    EXPECT_GT(rise.bytes(), std::size_t{1} << 29);
    rise.expect_undone();
  }
};

TEST_F(OneGibibyteOfSmallBlocks, FreedInOrderIsReturned) {
  expect_returned([](Litter &) {});
}

TEST_F(OneGibibyteOfSmallBlocks, FreedInReverseIsReturned) {
  expect_returned([](Litter &litter) { litter.reverse(); });
}

TEST_F(OneGibibyteOfSmallBlocks, FreedAtRandomIsReturned) {
  expect_returned([](Litter &litter) { litter.shuffle(); });
}

// The heap keeps more of what is freed when it was lately asked again for what it had given back. It has to let go of
// that too, though all that the program does from then on is served by a bin.
TEST_F(OneGibibyteOfSmallBlocks, FreedAgainIsReturned) {
  {
    Litter first(std::size_t{1} << 30);
    first.free_all();
  }
  expect_returned([](Litter &litter) { litter.reverse(); });
}

constexpr std::size_t kSome = std::size_t{256} << 20;

TEST(MemoryReturn, OfBlocksThatAnotherThreadFreesWhileTheirOwnerIdles) {
  Rise rise;
  std::barrier step(2);
  Litter *litter = nullptr;
  std::thread owner([&] {
    litter = new Litter(kSome);
    step.arrive_and_wait();
    step.arrive_and_wait(); // idles here, without a call to the heap
  });
  step.arrive_and_wait();
  litter->shuffle();
  rise.record_peak(litter->bytes());
  litter->free_all();
  delete litter;
  rise.expect_undone();
  step.arrive_and_wait();
  owner.join();
}

TEST(MemoryReturn, OfBlocksWhoseThreadHasEnded) {
  Rise rise;
  Litter *litter = nullptr;
  std::thread([&] { litter = new Litter(kSome); }).join();
  litter->shuffle();
  rise.record_peak(litter->bytes());
  litter->free_all();
  delete litter;
  rise.expect_undone();
}

TEST(MemoryReturn, OfBlocksThatAThreadFreedBeforeItEnded) {
  Rise rise;
  std::thread([&] {
    Litter litter(kSome);
    rise.record_peak(litter.bytes());
    litter.free_all();
  }).join();
  rise.expect_undone();
}

// Few are left live, in all pages of 64 KiB, but not in all of 4 KiB. Where the kernel was asked for pages of 2 MiB, it would make
// such of what is left, and all be resident again.
TEST(MemoryReturn, OfBlocksAroundSomeThatStay) {
  constexpr std::size_t kBytes = 2000;
  Rise rise;
  const std::size_t count = kSome / kBytes;
  auto **blocks = static_cast<void **>(support::map_bytes(count * sizeof(void *)));
  for (std::size_t i = 0; i < count; ++i) blocks[i] = std::memset(std::malloc(kBytes), 1, kBytes);
  rise.record_peak(0);
  for (std::size_t i = 0; i < count; ++i)
    if (i % 50 != 0) std::free(blocks[i]);
  rise.expect_undone();
  for (std::size_t i = 0; i < count; i += count / 50)
    EXPECT_EQ(support::mapping_flags(blocks[i / 50 * 50]).find(" hg"), std::string::npos);
  for (std::size_t i = 0; i < count; i += 50) std::free(blocks[i]);
  support::unmap_bytes(blocks, count * sizeof(void *));
}

class LargeBlocks : public testing::TestWithParam<std::size_t> {};

TEST_P(LargeBlocks, AreReturned) {
  Rise rise;
  const std::size_t count = kSome / GetParam();
  auto **blocks = static_cast<void **>(support::map_bytes(count * sizeof(void *)));
  for (std::size_t i = 0; i < count; ++i)
    blocks[i] = std::memset(std::malloc(GetParam()), 1, GetParam());
  rise.record_peak(0);
  EXPECT_GT(rise.bytes(), kSome / 4 * 3);
  for (std::size_t i = 0; i < count; i += 2) std::free(blocks[i]);
  for (std::size_t i = 1; i < count; i += 2) std::free(blocks[i]);
  support::unmap_bytes(blocks, count * sizeof(void *));
  rise.expect_undone();
}

INSTANTIATE_TEST_SUITE_P(MemoryReturn, LargeBlocks,
                         testing::Values(2000, 10'000, 50'000, 200'000, 1'000'000, 20'000'000));

} // namespace
