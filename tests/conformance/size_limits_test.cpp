// No block may be larger than PTRDIFF_MAX, or the difference of two pointers into it would
// overflow.
#include "support/opaque.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <malloc.h>
#include <vector>

using support::opaque;

namespace {

std::vector<std::size_t> impossible_sizes() {
  constexpr auto limit = static_cast<std::size_t>(PTRDIFF_MAX);
  std::vector<std::size_t> sizes;
  for (const std::size_t near : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{15},
                                 std::size_t{16}, std::size_t{17}, std::size_t{4095},
                                 std::size_t{4096}, std::size_t{65'536}, std::size_t{1} << 21}) {
    sizes.push_back(SIZE_MAX - near);
    sizes.push_back(limit + near);
    sizes.push_back(limit - near); // allowed by the rule, but beyond any address space
  }
  for (int bit = 48; bit < 64; ++bit) sizes.push_back(std::size_t{1} << bit);
  return sizes;
}

void expect_refused(void *block, const char *call, std::size_t size) {
  EXPECT_EQ(block, nullptr) << call << "(" << size << ")";
  EXPECT_EQ(errno, ENOMEM) << call << "(" << size << ")";
  errno = 0;
}

TEST(ImpossibleSize, IsRefusedByEveryCallWithENOMEM) {
  void *block = std::malloc(16);
  errno = 0;
  for (const std::size_t size : impossible_sizes()) {
    expect_refused(std::malloc(opaque(size)), "malloc", size);
    expect_refused(std::calloc(1, opaque(size)), "calloc", size);
    expect_refused(std::calloc(opaque(size), 1), "calloc", size);
    expect_refused(std::realloc(opaque(block), opaque(size)), "realloc", size);
    expect_refused(std::realloc(nullptr, opaque(size)), "realloc of null", size);
    expect_refused(reallocarray(opaque(block), opaque(size), 1), "reallocarray", size);
    expect_refused(aligned_alloc(64, opaque(size)), "aligned_alloc", size);
    expect_refused(memalign(8192, opaque(size)), "memalign", size);
    expect_refused(valloc(opaque(size)), "valloc", size);
    expect_refused(pvalloc(opaque(size)), "pvalloc", size);
  }
  std::free(block);
}

TEST(ImpossibleSize, LeavesTheHeapUsable) {
  for (const std::size_t size : impossible_sizes()) EXPECT_EQ(std::malloc(opaque(size)), nullptr);
  for (std::size_t size = 1; size < 1u << 22; size *= 3) {
    void *block = std::malloc(size);
    ASSERT_NE(block, nullptr) << size;
    static_cast<volatile char *>(block)[size - 1] = 1;
    std::free(block);
  }
}

TEST(LargeSize, OfManyGibibytesIsServedWhereTheKernelAllows) {
  // Reserved and touched at both ends alone: address space, not memory.
  const std::size_t size = std::size_t{8} << 30;
  auto *block = static_cast<volatile char *>(std::malloc(opaque(size)));
  if (block == nullptr) GTEST_SKIP() << "the kernel does not overcommit 8 GiB here";
  block[0] = 1;
  block[size - 1] = 2;
  EXPECT_EQ(block[0] + block[size - 1], 3);
  std::free(const_cast<char *>(block));
}

} // namespace
