#include "collect/rings/word_store.hpp"

#include <deque>
#include <gtest/gtest.h>
#include <numeric>

namespace abut::record {
namespace {

using ring::Word;

std::vector<Word> words_from(Word first, size_t count) {
  std::vector<Word> words(count);
  std::iota(words.begin(), words.end(), first);
  return words;
}

bool holds(const KeptWords &kept, Word first, size_t count) {
  const std::vector<Word> selection = words_from(first, count);
  return std::equal(kept.words.begin(), kept.words.end(), selection.begin(), selection.end());
}

TEST(WordStoreTest, KeepsWhatItWasGivenAcrossSlabs) {
  WordStore store(std::make_shared<SlabPool>());
  std::deque<KeptWords> kept;
  constexpr size_t kCounts[] = {1, 3, ring::kChunkWords, 640, 17};
  for (Word round = 0; round < 300; ++round)
    for (const size_t count : kCounts) kept.push_back(store.keep(words_from(round * 7919, count)));
  for (Word round = 0; round < 300; ++round)
    for (const size_t count : kCounts) {
      EXPECT_TRUE(holds(kept.front(), round * 7919, count)) << round;
      kept.pop_front();
    }
}

TEST(WordStoreTest, AWholeSlabFits) {
  WordStore store(std::make_shared<SlabPool>());
  const KeptWords one = store.keep(words_from(1, 1));
  const KeptWords all = store.keep(words_from(2, SlabPool::kSlabWords));
  EXPECT_TRUE(holds(one, 1, 1));
  EXPECT_TRUE(holds(all, 2, SlabPool::kSlabWords));
  EXPECT_NE(one.slab, all.slab);
}

TEST(WordStoreTest, OfWhatKeepsLittleEachHasMemoryOfItsOwn) {
  const auto pool = std::make_shared<SlabPool>();
  const long without_slab = pool.use_count() + 1; // the store's
  WordStore store(pool);
  const KeptWords few = store.keep(words_from(1, ring::kChunkWords));
  EXPECT_EQ(pool.use_count(), without_slab);
  const KeptWords more = store.keep(words_from(2, 2 * ring::kChunkWords));
  EXPECT_EQ(pool.use_count(), without_slab + 1); // who gives the slab back
  EXPECT_TRUE(holds(few, 1, ring::kChunkWords));
  EXPECT_TRUE(holds(more, 2, 2 * ring::kChunkWords));
}

TEST(SlabPoolTest, ASlabIsUsedAgainOnceNobodyHasIt) {
  const auto pool = std::make_shared<SlabPool>();
  auto first = pool->take();
  const Word *where = first.get();
  EXPECT_NE(pool->take().get(), where);
  auto also = first;
  first.reset();
  EXPECT_NE(pool->take().get(), where);
  also.reset();
  EXPECT_EQ(pool->take().get(), where);
}

TEST(SlabPoolTest, SlabsOutliveWhoeverTookThem) {
  auto pool = std::make_shared<SlabPool>();
  const std::shared_ptr<Word> slab = pool->take();
  pool.reset();
  slab.get()[SlabPool::kSlabWords - 1] = 1;
  EXPECT_EQ(slab.get()[SlabPool::kSlabWords - 1], 1u);
}

} // namespace
} // namespace abut::record
