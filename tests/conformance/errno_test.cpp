// errno: free never touches it (POSIX 2024, glibc 2.33), whatever system calls it makes; success
// never needs to.
#include "conformance/sizes.hpp"
#include "support/child.hpp"
#include "support/opaque.hpp"

#include <cerrno>
#include <cstdlib>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>
#include <vector>

using support::opaque;

namespace {

TEST(Errno, OutlivesFreeOfEverySize) {
  for (const std::size_t size : conformance::telling_sizes(std::size_t{64} << 20)) {
    void *block = std::malloc(size);
    ASSERT_NE(block, nullptr);
    errno = EDOM;
    std::free(opaque(block));
    ASSERT_EQ(errno, EDOM) << size;
  }
}

TEST(Errno, OutlivesTheFreeOfManyBlocksAtOnce) {
  // Enough to make any allocator hand pages back to the kernel while it frees.
  std::vector<void *> blocks(500'000);
  for (void *&block : blocks) block = std::malloc(256);
  for (void *block : blocks) {
    errno = ERANGE;
    std::free(block);
    ASSERT_EQ(errno, ERANGE);
  }
}

TEST(Errno, OutlivesFreeOfNullAndOfAlignedBlocks) {
  errno = EILSEQ;
  std::free(opaque<void *>(nullptr));
  EXPECT_EQ(errno, EILSEQ);
  for (std::size_t alignment = 16; alignment <= std::size_t{1} << 28; alignment *= 2) {
    void *block = memalign(alignment, 100);
    ASSERT_NE(block, nullptr);
    errno = EILSEQ;
    std::free(opaque(block));
    ASSERT_EQ(errno, EILSEQ) << alignment;
  }
}

// Uses up the kernel's mappings: no two neighbouring pages here can share one.
void use_up_mappings() {
  const std::size_t page = 4096;
  const std::size_t size = page * 200'000;
  auto *start = static_cast<char *>(
      mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  support::require(start != MAP_FAILED, "address space for the mappings");
  for (std::size_t at = 0; at < size; at += 2 * page)
    if (mprotect(start + at, page, PROT_READ) != 0) return;
}

TEST(Errno, OutlivesAFreeWhoseUnmappingFails) {
  const support::Outcome outcome = support::in_child([] {
    std::vector<void *> blocks;
    for (int i = 0; i < 100; ++i) blocks.push_back(std::malloc(std::size_t{5} << 20));
    use_up_mappings();
    for (void *block : blocks) {
      errno = EDOM;
      std::free(block);
      support::require(errno == EDOM, "free kept errno although unmapping failed");
    }
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

} // namespace
