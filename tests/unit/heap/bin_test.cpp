#include "heap/bin.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace abut::heap {
namespace {

// As the heaps push: false where the bin now wants to be spilled.
bool push(Bin &bin, Block *block) {
  block->next = bin.head;
  bin.head = block;
  return --bin.room >= 0;
}

std::vector<Block *> chain(Block *first) {
  std::vector<Block *> result;
  for (; first; first = first->next) result.push_back(first);
  return result;
}

class BinTest : public testing::Test {
protected:
  // Fills the bin to its limit; returns the blocks, the latest first.
  std::vector<Block *> fill() {
    std::vector<Block *> pushed;
    while (bin.room > 0) {
      Block *block = &blocks.at(pushed.size());
      EXPECT_TRUE(push(bin, block));
      pushed.insert(pushed.begin(), block);
    }
    return pushed;
  }

  Bin bin;
  std::vector<Block> blocks = std::vector<Block>(10000);
};

TEST_F(BinTest, IsBoundedWhateverTheSizeOfItsBlocks) {
  for (size_t bytes = 8; bytes <= 32 * KiB; bytes += 8) {
    Bin any;
    any.open(bytes);
    ASSERT_GT(any.limit, 0);
    ASSERT_EQ(any.room, any.limit);
    ASSERT_LE(any.limit, any.most);
    for (int i = 0; i < 64; ++i) any.grow();
    ASSERT_EQ(any.limit, any.most) << "a bin that goes on giving out reaches its most";
    ASSERT_EQ(any.count(), 0);
  }
}

TEST_F(BinTest, HoldsFewerBlocksOfGreaterSize) {
  int most = INT16_MAX;
  for (size_t bytes = 16; bytes <= 16 * KiB; bytes *= 2) {
    Bin any;
    any.open(bytes);
    EXPECT_LE(any.most, most) << bytes;
    most = any.most;
  }
}

TEST_F(BinTest, CountsWhatItHolds) {
  bin.open(16);
  EXPECT_EQ(bin.count(), 0);
  const std::vector<Block *> pushed = fill();
  EXPECT_EQ(static_cast<size_t>(bin.count()), pushed.size());
  EXPECT_EQ(chain(bin.head), pushed);
  EXPECT_FALSE(push(bin, &blocks.back())) << "a full bin asks to be spilled";
  EXPECT_EQ(bin.count(), bin.limit + 1);
}

TEST_F(BinTest, SplitKeepsTheLatestBlocks) {
  bin.open(16);
  const std::vector<Block *> pushed = fill();
  const int keep = bin.limit / 2;
  Block *rest = bin.split(keep);
  EXPECT_EQ(bin.count(), keep);
  EXPECT_EQ(chain(bin.head), std::vector<Block *>(pushed.begin(), pushed.begin() + keep));
  EXPECT_EQ(chain(rest), std::vector<Block *>(pushed.begin() + keep, pushed.end()));
  EXPECT_EQ(bin.split(keep), nullptr) << "there is nothing more to split off";
  EXPECT_EQ(bin.count(), keep);
}

TEST_F(BinTest, SplitToNothingEmptiesIt) {
  bin.open(16);
  const std::vector<Block *> pushed = fill();
  EXPECT_EQ(chain(bin.split(0)), pushed);
  EXPECT_EQ(bin.head, nullptr);
  EXPECT_EQ(bin.room, bin.limit);
}

TEST_F(BinTest, TakeAllEmptiesIt) {
  bin.open(16);
  const std::vector<Block *> pushed = fill();
  EXPECT_EQ(chain(bin.take_all()), pushed);
  EXPECT_EQ(bin.count(), 0);
  EXPECT_EQ(bin.take_all(), nullptr);
}

TEST_F(BinTest, GrowingKeepsTheCount) {
  bin.open(16);
  const std::vector<Block *> pushed = fill();
  const int limit = bin.limit;
  bin.grow();
  EXPECT_GT(bin.limit, limit);
  EXPECT_LE(bin.limit, bin.most);
  EXPECT_EQ(static_cast<size_t>(bin.count()), pushed.size());
}

TEST_F(BinTest, KeepsTheLatestHalfWhenItOverflows) {
  bin.open(16);
  bin.grow();
  const std::vector<Block *> pushed = fill();
  const int limit = bin.limit;
  const auto keep = static_cast<std::ptrdiff_t>(limit / 2);
  EXPECT_EQ(chain(bin.overflow()), std::vector<Block *>(pushed.begin() + keep, pushed.end()));
  EXPECT_EQ(chain(bin.head), std::vector<Block *>(pushed.begin(), pushed.begin() + keep));
  EXPECT_EQ(bin.limit, limit) << "once is nothing";
}

TEST_F(BinTest, LosesRoomWhenItOverflowsAndNobodyTakes) {
  bin.open(16);
  const int least = bin.limit;
  while (bin.limit < bin.most) bin.grow();
  for (int i = 0; i < 20; ++i) {
    bin.take_all();
    fill();
    bin.overflow();
    ASSERT_EQ(bin.count(), bin.limit / 2);
  }
  EXPECT_EQ(bin.limit, least);
  bin.grow();
  EXPECT_EQ(bin.limit, 2 * least) << "and earns it again";
}

TEST_F(BinTest, KnowsWhatItHolds) {
  bin.open(16);
  for (const Block *block : fill()) EXPECT_TRUE(bin.holds(block));
  EXPECT_FALSE(bin.holds(&blocks.back()));
  EXPECT_FALSE(Bin{}.holds(&blocks.front()));
}

} // namespace
} // namespace abut::heap
