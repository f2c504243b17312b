// The map is driven at random beside a naive model: a vector that says of every granule which block covers it.
#include "base/block_map.hpp"

#include "helpers/print_range.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace abut {
namespace {

template <uint32_t N>
struct Model {
  std::vector<Range> blocks; // in order of address

  bool covered(uint32_t at) const {
    return std::any_of(blocks.begin(), blocks.end(),
                       [=](Range block) { return block.first <= at && at < block.end(); });
  }

  std::vector<Range> holes() const {
    std::vector<Range> result;
    uint32_t end = 0;
    for (Range block : blocks) {
      if (block.first > end) result.push_back({end, block.first - end});
      end = block.end();
    }
    if (end < N) result.push_back({end, N - end});
    return result;
  }

  void add(Range block) {
    const auto after = [](Range a, Range b) { return a.first < b.first; };
    blocks.insert(std::upper_bound(blocks.begin(), blocks.end(), block, after), block);
  }
};

template <class Map>
class BlockMapOf : public testing::Test {
protected:
  static constexpr uint32_t kGranules = Map::kGranules;

  void add(Range block) {
    map.add(block);
    model.add(block);
  }

  void add_at_random() {
    const std::vector<Range> holes = model.holes();
    if (holes.empty()) return;
    const Range hole = holes[random.below(holes.size())];
    const auto count = static_cast<uint32_t>(random.size_up_to(hole.count));
    const auto offset = static_cast<uint32_t>(random.below(hole.count - count + 1));
    add({hole.first + offset, count});
  }

  void remove_at_random() {
    if (model.blocks.empty()) return;
    const size_t index = random.below(model.blocks.size());
    map.remove(model.blocks[index]);
    model.blocks.erase(model.blocks.begin() + static_cast<ptrdiff_t>(index));
  }

  void resize_at_random() {
    if (model.blocks.empty()) return;
    const size_t index = random.below(model.blocks.size());
    Range &block = model.blocks[index];
    const uint32_t limit =
        index + 1 < model.blocks.size() ? model.blocks[index + 1].first : kGranules;
    const auto count = static_cast<uint32_t>(random.below(limit - block.first) + 1);
    map.resize(block, count);
    block.count = count;
  }

  void step() {
    switch (random.below(8)) {
    case 0:
    case 1:
    case 2:
    case 3: return add_at_random();
    case 4:
    case 5:
    case 6: return remove_at_random();
    default: return resize_at_random();
    }
  }

  std::vector<Range> blocks_visited() const {
    std::vector<Range> result;
    map.each_block([&](Range block) { result.push_back(block); });
    return result;
  }

  std::vector<Range> holes_found() const {
    std::vector<Range> result;
    const auto cover = map.cover();
    for (Range hole = cover.next_hole(0); hole; hole = cover.next_hole(hole.end()))
      result.push_back(hole);
    return result;
  }

  void check_granule(uint32_t at) const {
    const auto begins = [=](Range block) { return block.first == at; };
    const auto block = std::find_if(model.blocks.begin(), model.blocks.end(), begins);
    ASSERT_EQ(map.begins_at(at), block != model.blocks.end()) << at;
    if (block != model.blocks.end()) {
      ASSERT_EQ(map.length_at(at), block->count) << at;
    }
    ASSERT_EQ(map.is_free(at), !model.covered(at)) << at;
  }

  void check_holes() const {
    const std::vector<Range> holes = model.holes();
    ASSERT_EQ(holes_found(), holes);
    uint32_t free = 0;
    for (Range hole : holes) {
      free += hole.count;
      for (uint32_t at : {hole.first, hole.first + hole.count / 2, hole.end() - 1})
        ASSERT_EQ(map.hole_at(at), hole) << "from granule " << at;
    }
    ASSERT_EQ(map.cover().free_granules(), free);
  }

  void check_whole() const {
    ASSERT_TRUE(map.valid());
    ASSERT_EQ(blocks_visited(), model.blocks);
    ASSERT_EQ(map.blocks(), model.blocks.size());
    ASSERT_EQ(map.empty(), model.blocks.empty());
    check_holes();
  }

  // The fits that the searches ought to find, by looking at all holes.
  void check_fits(uint32_t from, uint32_t count, uint32_t align) const {
    Range first{}, best{};
    uint32_t longest = 0;
    for (Range hole : model.holes()) {
      if (hole.end() <= from) continue;
      if (hole.first < from) hole = {from, hole.end() - from};
      longest = std::max(longest, hole.count);
      if (!fit_in(hole, count, align)) continue;
      if (!first) first = hole;
      if (!best || hole.count < best.count) best = hole;
    }
    const auto cover = map.cover();
    uint32_t largest = ~0U;
    ASSERT_EQ(cover.first_fit(from, count, align), first) << count << " at a multiple of " << align;
    ASSERT_EQ(cover.best_fit(from, count, align, largest), best) << count << " at " << align;
    ASSERT_EQ(largest, longest);
  }

  support::Random random{3};
  Map map{};
  Model<kGranules> model;
};

using Maps = testing::Types<BlockMap<64>, BlockMap<256>, BlockMap<1024>, BlockMap<4096>>;
TYPED_TEST_SUITE(BlockMapOf, Maps);

TYPED_TEST(BlockMapOf, BeginsEmpty) {
  this->check_whole();
  for (uint32_t at = 0; at < this->kGranules; ++at) this->check_granule(at);
}

TYPED_TEST(BlockMapOf, AgreesWithTheModelThroughRandomChanges) {
  for (int step = 0; step < 1500; ++step) {
    this->step();
    if (step % 8 == 0) this->check_whole();
    this->check_granule(static_cast<uint32_t>(this->random.below(this->kGranules)));
    if (this->HasFatalFailure()) return;
  }
  for (uint32_t at = 0; at < this->kGranules; ++at) this->check_granule(at);
}

TYPED_TEST(BlockMapOf, FindsTheFirstAndTheBestFit) {
  for (int step = 0; step < 1500; ++step) {
    this->step();
    const auto from = static_cast<uint32_t>(this->random.below(this->kGranules));
    const auto count = static_cast<uint32_t>(this->random.size_up_to(this->kGranules));
    this->check_fits(from, count, 1U << this->random.below(7));
    this->check_fits(0, count, 1);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(BlockMapOf, TakesOneBlockThatFillsIt) {
  this->add({0, this->kGranules});
  this->check_whole();
  EXPECT_FALSE(this->map.cover().next_hole(0));
  this->remove_at_random();
  this->check_whole();
}

TYPED_TEST(BlockMapOf, TakesABlockInEveryGranule) {
  for (uint32_t at = 0; at < this->kGranules; ++at) this->add({at, 1});
  this->check_whole();
  for (uint32_t at = 0; at < this->kGranules; ++at) this->check_granule(at);
}

TYPED_TEST(BlockMapOf, HasNoLengthWhereNoBlockEnds) {
  this->add({0, 3});
  EXPECT_EQ(this->map.length_at(3), 0U);
  EXPECT_EQ(this->map.length_at(this->kGranules - 1), 0U);
}

} // namespace
} // namespace abut
