// The part of os.hpp that deals in memory: what the kernel is asked for is what it then shows.
#include "os/os.hpp"

#include "helpers/residency.hpp"
#include "support/pattern.hpp"
#include "support/process_memory.hpp"

#include <cerrno>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace abut::os {
namespace {

using test::is_mapped;
using test::resident_pages;
using test::touch;

char *at(void *memory, size_t offset) { return static_cast<char *>(memory) + offset; }

TEST(Map, GivesZeroedMemoryThatIsNotResidentYet) {
  void *memory = map(MiB);
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(reinterpret_cast<Address>(memory) % kPageBytes, 0U);
  EXPECT_EQ(resident_pages(memory, MiB), 0U);
  EXPECT_TRUE(support::all_zero(memory, MiB));
  unmap(memory, MiB);
}

TEST(MapAt, TakesFreeAddressesAndLeavesOthersAlone) {
  void *memory = map(2 * MiB);
  ASSERT_NE(memory, nullptr);
  support::fill(memory, MiB, 1);
  unmap(at(memory, MiB), MiB);
  EXPECT_EQ(map_at(at(memory, MiB), MiB), Mapped::done);
  EXPECT_TRUE(support::all_zero(at(memory, MiB), MiB));
  EXPECT_EQ(map_at(at(memory, MiB - kPageBytes), MiB), Mapped::occupied);
  EXPECT_EQ(map_at(at(memory, 2 * MiB), size_t{1} << 60), Mapped::exhausted);
  EXPECT_TRUE(support::holds(memory, MiB, 1));
  unmap(memory, 2 * MiB);
}

TEST(ReserveAt, HoldsAddressesWithoutMemory) {
  void *memory = map(MiB);
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(reserve_at(memory, MiB), Mapped::occupied);
  unmap(memory, MiB);
  EXPECT_EQ(reserve_at(memory, MiB), Mapped::done);
  EXPECT_FALSE(is_readable(memory));
  EXPECT_EQ(map_at(memory, kPageBytes), Mapped::occupied);
  unmap(memory, MiB);
}

TEST(Map, GivesNullWhereThereIsNone) {
  errno = 123;
  EXPECT_EQ(map(size_t{1} << 60), nullptr);
  EXPECT_EQ(errno, 123) << "errno is the caller's";
}

TEST(Unmap, TakesTheMemoryAway) {
  void *memory = map(MiB);
  ASSERT_NE(memory, nullptr);
  touch(memory, MiB);
  unmap(at(memory, MiB / 2), MiB / 2);
  EXPECT_TRUE(is_mapped(memory));
  EXPECT_TRUE(is_mapped(at(memory, MiB / 2 - 1)));
  EXPECT_FALSE(is_mapped(at(memory, MiB / 2)));
  EXPECT_FALSE(is_mapped(at(memory, MiB - 1)));
  unmap(memory, MiB / 2);
  EXPECT_FALSE(is_mapped(memory));
}

TEST(IsReadable, KnowsTheProgramsOwnMemoryAndTheNullPage) {
  const uint64_t on_the_stack = 0;
  alignas(8) static const char constant[] = "a constant";
  EXPECT_TRUE(is_readable(&on_the_stack));
  EXPECT_TRUE(is_readable(constant));
  errno = 123;
  EXPECT_FALSE(is_readable(nullptr));
  EXPECT_EQ(errno, 123);
}

TEST(Discard, GivesThePagesBackAndLeavesZeros) {
  void *memory = map(MiB);
  ASSERT_NE(memory, nullptr);
  std::memset(memory, 0xa5, MiB);
  ASSERT_EQ(resident_pages(memory, MiB), MiB / kPageBytes);
  EXPECT_TRUE(discard(at(memory, 4 * kPageBytes), 8 * kPageBytes));
  EXPECT_EQ(resident_pages(memory, MiB), MiB / kPageBytes - 8);
  EXPECT_EQ(resident_pages(at(memory, 4 * kPageBytes), 8 * kPageBytes), 0U);
  EXPECT_TRUE(support::all_zero(at(memory, 4 * kPageBytes), 8 * kPageBytes));
  EXPECT_EQ(*at(memory, 4 * kPageBytes - 1), '\xa5') << "the page before must stay";
  EXPECT_EQ(*at(memory, 12 * kPageBytes), '\xa5') << "the page after must stay";
  unmap(memory, MiB);
}

TEST(Discard, MakesTheProcessSmallerAtOnce) {
  constexpr size_t kBytes = 64 * MiB;
  void *memory = map(kBytes);
  ASSERT_NE(memory, nullptr);
  touch(memory, kBytes);
  const size_t full = resident_bytes();
  EXPECT_TRUE(discard(memory, kBytes));
  const size_t after = resident_bytes();
  EXPECT_GE(full, kBytes);
  EXPECT_LE(after, full - kBytes * 9 / 10);
  unmap(memory, kBytes);
}

TEST(Discard, SaysSoWhereMemoryIsLocked) {
  void *memory = map(kPageBytes);
  ASSERT_NE(memory, nullptr);
  *at(memory, 5) = 'x';
  if (syscall(SYS_mlock, memory, kPageBytes) != 0) // AddressSanitizer makes mlock() do nothing
    GTEST_SKIP() << "this user may not lock memory";
  EXPECT_FALSE(discard(memory, kPageBytes));
  EXPECT_EQ(*at(memory, 5), 'x');
  clear_pages(memory, kPageBytes);
  EXPECT_EQ(*at(memory, 5), 0);
  unmap(memory, kPageBytes);
}

TEST(Populate, MakesPagesResidentAndKeepsTheirContents) {
  void *memory = map(MiB);
  ASSERT_NE(memory, nullptr);
  *at(memory, 5) = 'x';
  populate(memory, MiB / 2);
  EXPECT_EQ(resident_pages(memory, MiB / 2), MiB / 2 / kPageBytes);
  EXPECT_EQ(resident_pages(at(memory, MiB / 2), MiB / 2), 0U);
  EXPECT_EQ(*at(memory, 5), 'x');
  EXPECT_TRUE(support::all_zero(at(memory, 6), MiB / 2 - 6));
  unmap(memory, MiB);
}

TEST(PreferHugePages, LeavesTheContentsAlone) {
  void *memory = map(4 * MiB);
  ASSERT_NE(memory, nullptr);
  *at(memory, 7) = 'x';
  prefer_huge_pages(memory, 4 * MiB);
  touch(at(memory, 2 * MiB), 2 * MiB);
  EXPECT_EQ(*at(memory, 7), 'x');
  unmap(memory, 4 * MiB);
}

TEST(ResizeMapping, GrowsIntoFreeAddressesAndShrinks) {
  void *memory = map(2 * MiB);
  ASSERT_NE(memory, nullptr);
  unmap(at(memory, MiB), MiB);
  support::fill(memory, MiB, 1);
  ASSERT_TRUE(resize_mapping(memory, MiB, 2 * MiB));
  EXPECT_TRUE(support::holds(memory, MiB, 1));
  EXPECT_TRUE(support::all_zero(at(memory, MiB), MiB));
  ASSERT_TRUE(resize_mapping(memory, 2 * MiB, kPageBytes));
  EXPECT_TRUE(support::holds(memory, kPageBytes, 1));
  EXPECT_FALSE(is_mapped(at(memory, kPageBytes)));
  unmap(memory, kPageBytes);
}

TEST(ResizeMapping, RefusesWhereTheNeighbourIsTaken) {
  void *memory = map(2 * MiB);
  ASSERT_NE(memory, nullptr);
  support::fill(at(memory, MiB), MiB, 2);
  errno = 123;
  EXPECT_FALSE(resize_mapping(memory, MiB, MiB + kPageBytes));
  EXPECT_EQ(errno, 123);
  EXPECT_TRUE(support::holds(at(memory, MiB), MiB, 2));
  unmap(memory, 2 * MiB);
}

TEST(ResizeMapping, WorksWhereTheProgramHasGivenAdviceAboutAPart) {
  void *memory = map(3 * MiB);
  ASSERT_NE(memory, nullptr);
  unmap(at(memory, 2 * MiB), MiB);
  support::fill(memory, 2 * MiB, 4);
  ASSERT_EQ(madvise(at(memory, MiB), MiB, MADV_DONTDUMP), 0); // the kernel has two mappings now
  errno = 123;
  ASSERT_TRUE(resize_mapping(memory, 2 * MiB, 3 * MiB));
  EXPECT_EQ(errno, 123);
  EXPECT_TRUE(support::holds(memory, 2 * MiB, 4));
  EXPECT_TRUE(support::all_zero(at(memory, 2 * MiB), MiB));
  void *behind = at(memory, 3 * MiB);
  if (reserve_at(behind, kPageBytes) == Mapped::done) {
    EXPECT_FALSE(resize_mapping(memory, 3 * MiB, 3 * MiB + kPageBytes));
    unmap(behind, kPageBytes);
  }
  ASSERT_TRUE(resize_mapping(memory, 3 * MiB, kPageBytes));
  EXPECT_FALSE(is_mapped(at(memory, kPageBytes)));
  EXPECT_FALSE(is_mapped(at(memory, MiB)));
  unmap(memory, kPageBytes);
}

TEST(MoveMapping, TakesThePagesAlongWithoutCopyingThem) {
  constexpr size_t kBytes = 16 * MiB;
  void *from = map(kBytes);
  void *to = map(2 * kBytes);
  ASSERT_TRUE(from != nullptr && to != nullptr);
  unmap(to, 2 * kBytes);
  ASSERT_EQ(reserve_at(to, 2 * kBytes), Mapped::done);
  support::fill(at(from, 3 * kPageBytes), kPageBytes, 3);
  ASSERT_TRUE(move_mapping(from, kBytes, to, 2 * kBytes));
  EXPECT_FALSE(is_mapped(from));
  EXPECT_EQ(resident_pages(to, 2 * kBytes), 1U)
      << "what was never touched is not touched by the move";
  EXPECT_TRUE(support::holds(at(to, 3 * kPageBytes), kPageBytes, 3));
  EXPECT_TRUE(support::all_zero(at(to, kBytes), kBytes));
  unmap(to, 2 * kBytes);
}

} // namespace
} // namespace abut::os
