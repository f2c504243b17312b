// Very many blocks: of the smallest sizes, and so large that each could be a mapping of its own.
#include "support/opaque.hpp"
#include "support/process_memory.hpp"

#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>

using support::opaque;

namespace {

// Pointers kept outside the heap under test.
class Table {
public:
  explicit Table(std::size_t count)
      : count_(count), entries_(static_cast<void **>(support::map_bytes(count * sizeof(void *)))) {}
  Table(const Table &) = delete;
  Table &operator=(const Table &) = delete;
  ~Table() { support::unmap_bytes(entries_, count_ * sizeof(void *)); }

  void *&operator[](std::size_t i) { return entries_[i]; }
  void **begin() { return entries_; }
  void **end() { return entries_ + count_; }

private:
  std::size_t count_;
  void **entries_;
};

class ManyBlocks : public testing::TestWithParam<std::size_t> {};

TEST_P(ManyBlocks, OfASmallSizeKeepTheirContents) {
  const std::size_t count = 10'000'000;
  Table table(count);
  for (std::size_t i = 0; i < count; ++i) {
    table[i] = std::malloc(GetParam());
    ASSERT_NE(table[i], nullptr);
    *static_cast<std::uint64_t *>(table[i]) = i;
  }
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(*static_cast<std::uint64_t *>(table[i]), i);
    std::free(table[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(, ManyBlocks, testing::Values(8, 16, 40));

// The kernel grants 65530 mappings. A heap that spends one on each block, or one on each hole, runs
// out.
TEST(ManyLargeBlocks, NeedNoMappingEach) {
  const std::size_t count = 70'000;
  const std::size_t size = std::size_t{160} << 10;
  Table table(count);
  for (void *&block : table) {
    block = std::malloc(opaque(size));
    ASSERT_NE(block, nullptr) << "block " << &block - table.begin();
    *static_cast<volatile char *>(block) = 1;
  }
  for (std::size_t i = 0; i < count; i += 2) std::free(table[i]);
  for (std::size_t i = 0; i < count; i += 2) {
    table[i] = std::malloc(opaque(size));
    ASSERT_NE(table[i], nullptr) << "into the hole of block " << i;
  }
  for (void *block : table) std::free(block);
}

TEST(ManyLargeBlocks, FreedEverySecondOneLeaveMappingsToSpare) {
  const std::size_t count = 20'000;
  Table table(count);
  for (std::size_t i = 0; i < count; ++i)
    *static_cast<volatile char *>(table[i] = std::malloc(100'000 + i % 7 * 5000)) = 1;
  for (std::size_t i = 0; i < count; i += 2) std::free(table[i]);
  EXPECT_LT(support::mapping_count(), 10'000u);
  for (std::size_t i = 1; i < count; i += 2) std::free(table[i]);
}

} // namespace
