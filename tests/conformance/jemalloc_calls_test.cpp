// jemalloc's calls with flags, as its manual has them. What they allocate, free() frees, and the other way round. No C library has
// them, so they are looked up by name.
#include "conformance/sizes.hpp"
#include "support/allocator.hpp"
#include "support/pattern.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <malloc.h>

namespace {

constexpr int kZero = 0x40;       // MALLOCX_ZERO
constexpr int kNoCache = 1 << 8;  // MALLOCX_TCACHE_NONE
constexpr int kAnArena = 2 << 20; // MALLOCX_ARENA(1)

class JemallocCalls : public testing::Test {
protected:
  void SetUp() override {
    if (mallocx == nullptr) {
      ASSERT_FALSE(support::runs_under_abut()) << "the library must export it";
      GTEST_SKIP() << "this allocator has no mallocx";
    }
  }

  static bool reads_as_zero(const void *memory, std::size_t begin, std::size_t end) {
    const auto *bytes = static_cast<const unsigned char *>(memory);
    return std::all_of(bytes + begin, bytes + end, [](unsigned char byte) { return byte == 0; });
  }

  // Leaves a block behind that is nowhere zero. Of what malloc() returns, compilers know how much was asked for, and let no
  // more be written.
  void litter(std::size_t bytes) const {
    void *block = mallocx(bytes, 0);
    support::fill(block, malloc_usable_size(block), 1);
    std::free(block);
  }

  template <class Function>
  static Function *find(const char *name) {
    return support::find_function<Function>(name);
  }

  void *(*mallocx)(std::size_t, int) = find<void *(std::size_t, int)>("mallocx");
  void *(*rallocx)(void *, std::size_t, int) = find<void *(void *, std::size_t, int)>("rallocx");
  std::size_t (*xallocx)(void *, std::size_t, std::size_t,
                         int) = find<std::size_t(void *, std::size_t, std::size_t, int)>("xallocx");
  std::size_t (*sallocx)(const void *, int) = find<std::size_t(const void *, int)>("sallocx");
  void (*dallocx)(void *, int) = find<void(void *, int)>("dallocx");
  void (*sdallocx)(void *, std::size_t, int) = find<void(void *, std::size_t, int)>("sdallocx");
  std::size_t (*nallocx)(std::size_t, int) = find<std::size_t(std::size_t, int)>("nallocx");
};

TEST_F(JemallocCalls, ShareTheHeapOfMallocAndFree) {
  for (const std::size_t size : conformance::telling_sizes(std::size_t{8} << 20)) {
    if (size == 0) continue;
    std::free(mallocx(size, kNoCache | kAnArena));
    dallocx(std::malloc(size), kNoCache);
    sdallocx(std::malloc(size), size, 0);
    void *block = mallocx(size, 0);
    EXPECT_GE(malloc_usable_size(block), nallocx(size, 0));
    EXPECT_EQ(malloc_usable_size(block), sallocx(block, 0));
    support::fill(block, size, size);
    block = rallocx(std::realloc(block, 2 * size), 3 * size, 0);
    EXPECT_TRUE(support::holds(block, size, size)) << size;
    std::free(block);
  }
}

TEST_F(JemallocCalls, Align) {
  for (int shift = 0; shift <= 22; ++shift)
    for (const std::size_t size : {1u, 30u, 5000u, 600'000u}) {
      const std::uintptr_t beyond = (std::uintptr_t{1} << shift) - 1;
      void *block = mallocx(size, shift | kZero);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) & beyond, 0) << shift;
      EXPECT_TRUE(reads_as_zero(block, 0, size));
      support::fill(block, size, 7);
      block = rallocx(block, size + 100, shift);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) & beyond, 0) << shift;
      EXPECT_TRUE(support::holds(block, size, 7));
      dallocx(block, shift);
    }
}

TEST_F(JemallocCalls, ReadAsZeroWhereThatIsAskedFor) {
  for (const std::size_t size : {16u, 100u, 5000u, 100'000u}) {
    litter(size);
    void *block = mallocx(size, kZero);
    EXPECT_TRUE(reads_as_zero(block, 0, malloc_usable_size(block))) << size;
    std::free(block);
    block = mallocx(size, 0);
    const std::size_t held = malloc_usable_size(block);
    support::fill(block, held, 9);
    litter(10 * size);
    block = rallocx(block, 10 * size, kZero);
    EXPECT_TRUE(support::holds(block, held, 9));
    EXPECT_TRUE(reads_as_zero(block, held, malloc_usable_size(block))) << size;
    std::free(block);
  }
}

TEST_F(JemallocCalls, LeaveABlockWhereItCannotBecomeLonger) {
  void *block = mallocx(100, 0);
  EXPECT_LT(xallocx(block, 100'000, 0, 0), 100'000);
  EXPECT_EQ(rallocx(block, SIZE_MAX / 4, 0), nullptr);
  EXPECT_EQ(mallocx(SIZE_MAX / 4, 0), nullptr);
  dallocx(block, 0);
}

} // namespace
