#include "heap/huge_blocks.hpp"

#include "heap/huge_cache.hpp"
#include "heap/segment_map.hpp"
#include "helpers/heap_calls.hpp"
#include "helpers/option_setting.hpp"
#include "helpers/residency.hpp"
#include "support/child.hpp"
#include "support/pattern.hpp"

#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace abut::heap {
namespace {

using test::resident_pages;

HugeInfo *info_of(const void *memory) { return huge_block_at(address_of(memory)); }
char *at(void *memory, size_t offset) { return static_cast<char *>(memory) + offset; }

class HugeBlocks : public testing::Test {
protected:
  ~HugeBlocks() override {
    for (void *memory : held) free_huge(info_of(memory));
    huge_cache.give_back(~uint64_t{0});
    EXPECT_EQ(segment_map.mapped_bytes(), mapped_before);
    EXPECT_EQ(pages_taken.value(), taken_before);
    EXPECT_EQ(huge_totals().blocks, totals_before.blocks);
    EXPECT_EQ(huge_totals().bytes, totals_before.bytes);
  }

  void *take(size_t bytes, size_t align = 1) {
    held.push_back(allocate_huge(bytes, align, clean));
    EXPECT_NE(held.back(), nullptr) << bytes << " at " << align;
    return held.back();
  }

  void free(void *memory) {
    std::erase(held, memory);
    free_huge(info_of(memory));
  }

  void *resize(void *memory, size_t bytes) {
    void *resized = resize_huge(info_of(memory), bytes);
    if (resized != nullptr) {
      std::erase(held, memory);
      held.push_back(resized);
    }
    return resized;
  }

  const test::OptionSetting retain{Option::retain_mb, 0}; // no free block is kept
  bool clean = false;
  std::vector<void *> held;
  const size_t mapped_before = segment_map.mapped_bytes();
  const size_t taken_before = pages_taken.value();
  const HugeTotals totals_before = huge_totals();
};

TEST_F(HugeBlocks, ReadAsZeroAndAreNotResidentYet) {
  void *memory = take(5 * MiB);
  EXPECT_TRUE(clean);
  const Address first_page = round_down(address_of(memory), kPageBytes);
  EXPECT_LE(resident_pages(first_page, 5 * MiB), 512U)
      << "at most the huge page of its description";
  EXPECT_TRUE(support::all_zero(memory, 5 * MiB));
  support::fill(memory, 5 * MiB, 1);
  EXPECT_TRUE(support::holds(memory, 5 * MiB, 1));
}

TEST_F(HugeBlocks, AreFoundFromWhereTheyBeginAndFromNowhereElse) {
  for (size_t bytes : {kLargeMax + 1, 5 * MiB, 64 * MiB + 5}) {
    void *memory = take(bytes);
    ASSERT_NE(info_of(memory), nullptr);
    EXPECT_GE(usable_bytes(info_of(memory)), bytes);
    EXPECT_LE(usable_bytes(info_of(memory)), bytes + 2 * kPageBytes);
    support::fill(memory, bytes, 2); // none of its bytes may look like a block's description
    for (size_t offset : {size_t{1}, size_t{64}, kPageBytes, 2 * kPageBytes, bytes / 2, bytes - 1})
      EXPECT_EQ(info_of(at(memory, offset)), nullptr) << bytes << ", " << offset;
  }
}

TEST_F(HugeBlocks, KeepEveryAlignmentUpToAGiB) {
  for (size_t align = 16; align <= GiB; align *= 2)
    for (size_t bytes : {size_t{1}, 3 * MiB}) {
      void *memory = take(bytes, align);
      EXPECT_EQ(address_of(memory) % align, 0U) << align;
      ASSERT_NE(info_of(memory), nullptr) << align;
      support::fill(memory, bytes, align);
      EXPECT_GE(usable_bytes(info_of(memory)), bytes);
    }
  for (size_t i = 0; i < held.size(); ++i)
    EXPECT_TRUE(support::holds(held[i], i % 2 == 0 ? 1 : 3 * MiB, size_t{16} << (i / 2)));
}

TEST_F(HugeBlocks, OfOneSizeDoNotAllBeginInOneSet) {
  std::set<Address> lines;
  for (int i = 0; i < 8; ++i) lines.insert(address_of(take(4 * MiB)) % kPageBytes);
  EXPECT_GE(lines.size(), 7U);
}

TEST_F(HugeBlocks, GoBackWhenTheyAreFreed) {
  void *memory = take(64 * MiB);
  EXPECT_GE(segment_map.mapped_bytes(), mapped_before + 64 * MiB);
  EXPECT_GE(pages_taken.value(), taken_before + 64 * MiB / kPageBytes);
  EXPECT_EQ(huge_totals().blocks, totals_before.blocks + 1);
  EXPECT_EQ(huge_totals().bytes, totals_before.bytes + 64 * MiB);
  free(memory);
  EXPECT_FALSE(test::is_mapped(memory));
  EXPECT_EQ(segment_map.kind_at(address_of(memory)), SegmentKind::none);
}

TEST_F(HugeBlocks, ShrinkWhereTheyLie) {
  void *memory = take(64 * MiB);
  support::fill(memory, 3 * MiB, 3);
  test::touch(at(memory, 3 * MiB), 61 * MiB);
  ASSERT_EQ(resize(memory, 3 * MiB), memory);
  EXPECT_TRUE(support::holds(memory, 3 * MiB, 3));
  EXPECT_LE(usable_bytes(info_of(memory)), 3 * MiB + 2 * kPageBytes);
  EXPECT_FALSE(test::is_mapped(at(memory, 8 * MiB))) << "the rest goes back";
  EXPECT_EQ(huge_totals().bytes, totals_before.bytes + 3 * MiB);
}

TEST_F(HugeBlocks, GrowAgainWhereTheyHaveShrunk) {
  void *memory = take(64 * MiB);
  support::fill(memory, 3 * MiB, 3);
  ASSERT_EQ(resize(memory, 3 * MiB), memory);
  ASSERT_EQ(resize(memory, 60 * MiB), memory) << "its addresses were kept for it";
  EXPECT_TRUE(support::holds(memory, 3 * MiB, 3));
  EXPECT_TRUE(support::all_zero(at(memory, 4 * MiB), 56 * MiB));
}

TEST_F(HugeBlocks, MoveWithoutCopying) {
  void *memory = take(64 * MiB);
  void *wall = take(4 * MiB); // so that the block cannot grow where it lies
  support::fill(memory, kPageBytes, 4);
  support::fill(at(memory, 40 * MiB), kPageBytes, 5);
  void *moved = resize(memory, 256 * MiB);
  ASSERT_NE(moved, nullptr);
  EXPECT_NE(moved, memory);
  EXPECT_TRUE(support::holds(moved, kPageBytes, 4));
  EXPECT_TRUE(support::holds(at(moved, 40 * MiB), kPageBytes, 5));
  const Address first_page = round_down(address_of(moved), kPageBytes);
  EXPECT_LE(resident_pages(first_page, 256 * MiB), 3 * 512U)
      << "a copy would have touched all of it";
  EXPECT_FALSE(test::is_mapped(memory));
  EXPECT_EQ(segment_map.kind_at(address_of(memory)), SegmentKind::none);
  EXPECT_GE(usable_bytes(info_of(moved)), 256 * MiB);
  EXPECT_TRUE(support::all_zero(at(moved, 64 * MiB), 4 * MiB));
  EXPECT_TRUE(support::all_zero(wall, 4 * MiB));
}

TEST_F(HugeBlocks, RarelyMoveThoughTheyGoOnGrowing) {
  void *memory = take(3 * MiB);
  take(4 * MiB);
  int moves = 0;
  for (size_t bytes = 4 * MiB; bytes <= 400 * MiB; bytes += MiB) {
    void *resized = resize(memory, bytes);
    ASSERT_NE(resized, nullptr);
    moves += resized != memory;
    memory = resized;
    *at(memory, bytes - 1) = 'x';
    ASSERT_EQ(*at(memory, bytes - 1 - MiB), bytes > 4 * MiB ? 'x' : '\0');
  }
  EXPECT_LE(moves, 20);
}

TEST_F(HugeBlocks, AreRefusedWhereThereIsNoRoom) {
  EXPECT_EQ(allocate_huge(kRequestMax, 1, clean), nullptr);
  EXPECT_EQ(allocate_huge(kRequestMax - kPageBytes, kPageBytes, clean), nullptr);
  EXPECT_EQ(allocate_huge(1, size_t{1} << 62, clean), nullptr);
  void *memory = take(4 * MiB);
  support::fill(memory, 4 * MiB, 6);
  EXPECT_EQ(resize(memory, kRequestMax), nullptr);
  EXPECT_EQ(resize(memory, size_t{1} << 50), nullptr);
  ASSERT_NE(info_of(memory), nullptr) << "the old block stays";
  EXPECT_TRUE(support::holds(memory, 4 * MiB, 6));
}

// A mapping's last slot reaches further than the mapping; to look there for a description must not crash.
void expect_no_blocks(Address begin, Address end) {
  const support::Outcome outcome = support::in_child([=] {
    for (Address address = begin; address < end; address += kPageBytes)
      support::require(huge_block_at(address) == nullptr, "there is no block");
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

TEST_F(HugeBlocks, AreNotFoundWhereTheirMappingHasEnded) {
  void *memory = take(5 * MiB); // ends in its second slot
  const Address slot = round_down(address_of(memory), kSegmentBytes);
  expect_no_blocks(slot + 5 * MiB + 2 * kPageBytes, slot + 8 * MiB);
}

TEST_F(HugeBlocks, AreNotFoundWhereTheirMappingHasEndedInItsFirstSlot) {
  void *memory = take(kLargeMax + 1);
  const Address slot = round_down(address_of(memory), kSegmentBytes);
  expect_no_blocks(slot + 3 * MiB, slot + 4 * MiB);
}

TEST_F(HugeBlocks, CanBeReadWhereverTheyAreMapped) {
  for (const size_t align : {size_t{1}, 2 * kSegmentBytes}) {
    const size_t bytes = 3 * kSegmentBytes;
    auto *words = static_cast<uint64_t *>(take(bytes, align));
    const size_t last = bytes / sizeof(uint64_t) - 1;
    for (const size_t i : {size_t{0}, last / 2, last}) {
      words[i] = i + 1;
      EXPECT_EQ(read_huge(address_of(words + i)), i + 1);
    }
    const Address end = round_down(address_of(words), kSegmentBytes) + 4 * kSegmentBytes;
    EXPECT_EQ(read_huge(end - sizeof(uint64_t)), 0); // reserved, or not the block's
    free(words);
    EXPECT_EQ(read_huge(address_of(words)), 0);
  }
  uint64_t local = 1;
  EXPECT_EQ(read_huge(address_of(&local)), 0);
}

TEST_F(HugeBlocks, AreNotReadWhereTheyHaveBecomeShorter) {
  auto *words = static_cast<uint64_t *>(take(3 * kSegmentBytes));
  const size_t last = 3 * kSegmentBytes / sizeof(uint64_t) - 1;
  words[0] = words[last] = 1;
  EXPECT_EQ(read_huge(address_of(words + last)), 1);
  EXPECT_EQ(resize(words, kSegmentBytes), words);
  EXPECT_EQ(read_huge(address_of(words + last)), 0);
  EXPECT_EQ(read_huge(address_of(words)), 1);
}

TEST_F(HugeBlocks, AreNotReadWhileMappingsGo) {
  auto *word = static_cast<uint64_t *>(take(kSegmentBytes));
  *word = 1;
  huge_mappings.lock();
  EXPECT_EQ(read_huge(address_of(word)), 0);
  huge_mappings.unlock();
  EXPECT_EQ(read_huge(address_of(word)), 1);
}

} // namespace
} // namespace abut::heap
