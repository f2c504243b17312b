// What glibc lets a program ask of its heap: mallinfo, mallinfo2, malloc_info, malloc_stats,
// mallopt, malloc_trim.
#include "support/child.hpp"
#include "support/opaque.hpp"
#include "support/process_memory.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <malloc.h>
#include <string>
#include <thread>
#include <vector>

using support::opaque;

namespace {

std::size_t bytes_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

void free_all(const std::vector<void *> &blocks) {
  for (void *block : blocks) std::free(block);
}

class BytesInUse : public testing::TestWithParam<std::size_t> {};

TEST_P(BytesInUse, FollowAllocationAndFree) {
  const std::size_t total = std::size_t{64} << 20;
  std::vector<void *> blocks(total / GetParam());
  const std::size_t before = bytes_in_use();
  for (void *&block : blocks) block = std::malloc(GetParam());
  const std::size_t full = bytes_in_use();
  EXPECT_GE(full, before + blocks.size() * GetParam());
  free_all(blocks);
  EXPECT_LT(bytes_in_use(), before + total / 2);
}

TEST_P(BytesInUse, RiseAndFallByAboutWhatIsAllocated) {
  const std::size_t total = std::size_t{64} << 20;
  std::vector<void *> blocks(total / GetParam());
  for (int round = 0; round < 3; ++round) {
    const std::size_t before = bytes_in_use();
    for (void *&block : blocks) block = std::malloc(GetParam());
    const std::size_t full = bytes_in_use();
    EXPECT_LE(full, before + 2 * total + total / 8) << "no allocator here more than doubles";
    for (std::size_t i = 0; i < blocks.size(); i += 2) std::free(blocks[i]);
    const std::size_t half = bytes_in_use();
    EXPECT_GE(half, before + total / 3);
    EXPECT_LE(half, full - total / 3);
    for (std::size_t i = 1; i < blocks.size(); i += 2) std::free(blocks[i]);
    EXPECT_LE(bytes_in_use(), before + total / 10);
  }
}

INSTANTIATE_TEST_SUITE_P(Mallinfo2, BytesInUse, testing::Values(64, 1000, 50'000, 8u << 20));

TEST(Mallinfo2, FollowsABlockThatIsResized) {
  const std::size_t before = bytes_in_use();
  void *block = std::malloc(opaque(std::size_t{100}));
  for (std::size_t size = 1 << 20; size <= std::size_t{64} << 20; size *= 2) {
    block = std::realloc(opaque(block), size);
    EXPECT_GE(bytes_in_use(), before + size) << size;
    EXPECT_LE(bytes_in_use(), before + size + size / 2 + (1 << 20)) << size;
  }
  block = std::realloc(opaque(block), 1000);
  EXPECT_LE(bytes_in_use(), before + (8 << 20));
  std::free(block);
}

TEST(Mallinfo2, CountsTheBlocksOfOtherThreads) {
  const std::size_t before = bytes_in_use();
  std::vector<void *> blocks(20'000);
  std::thread([&blocks] {
    for (void *&block : blocks) block = std::malloc(500);
  }).join();
  EXPECT_GE(bytes_in_use(), before + blocks.size() * 500);
  free_all(blocks);
}

TEST(Mallinfo2, SaysHowMuchIsMapped) {
  std::vector<void *> blocks(100'000);
  for (void *&block : blocks) block = std::malloc(200);
  const struct mallinfo2 info = mallinfo2();
  EXPECT_GE(info.arena + info.hblkhd, blocks.size() * 200);
  EXPECT_GE(info.arena + info.hblkhd, info.uordblks);
  free_all(blocks);
}

TEST(Mallinfo, AgreesWithMallinfo2) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  const struct mallinfo narrow = mallinfo();
#pragma GCC diagnostic pop
  const struct mallinfo2 wide = mallinfo2();
  EXPECT_EQ(static_cast<std::size_t>(narrow.uordblks), wide.uordblks);
  EXPECT_EQ(static_cast<std::size_t>(narrow.hblkhd), wide.hblkhd);
}

bool is_well_formed_xml(const char *text, std::size_t length) {
  std::FILE *parser =
      popen("env -u LD_PRELOAD python3 -c "
            "'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.stdin.buffer)'",
            "w");
  return parser != nullptr && std::fwrite(text, 1, length, parser) == length && pclose(parser) == 0;
}

TEST(MallocInfo, WritesWellFormedXml) {
  std::vector<void *> blocks(1000);
  for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = std::malloc(i * 50);
  char *text = nullptr;
  std::size_t length = 0;
  std::FILE *stream = open_memstream(&text, &length);
  EXPECT_EQ(malloc_info(0, stream), 0);
  std::fclose(stream);
  EXPECT_GT(length, 0u);
  EXPECT_TRUE(is_well_formed_xml(text, length)) << text;
  EXPECT_NE(std::strstr(text, "<malloc"), nullptr) << text;
  std::free(text);
  free_all(blocks);
}

TEST(MallocInfo, RefusesOptionsOtherThanZero) {
  char *text = nullptr;
  std::size_t length = 0;
  std::FILE *stream = open_memstream(&text, &length);
  EXPECT_NE(malloc_info(1, stream), 0);
  std::fclose(stream);
  EXPECT_EQ(length, 0u) << text;
  std::free(text);
}

TEST(MallocStats, WritesToStandardError) {
  const support::Outcome outcome = support::in_child([] {
    std::free(std::malloc(opaque(std::size_t{1000})));
    malloc_stats();
  });
  ASSERT_TRUE(outcome.succeeded()) << outcome.text();
  EXPECT_FALSE(outcome.error.empty());
}

TEST(Mallopt, AcceptsTheDocumentedParametersAndStaysUsable) {
  const support::Outcome outcome = support::in_child([] {
    for (const auto &[parameter, value] : {std::pair{M_MMAP_THRESHOLD, 256 * 1024},
                                           {M_MMAP_MAX, 1000},
                                           {M_TRIM_THRESHOLD, 1 << 20},
                                           {M_TOP_PAD, 64 * 1024},
                                           {M_ARENA_MAX, 4},
                                           {M_MXFAST, 64},
                                           {M_PERTURB, 0}}) {
      support::require(mallopt(parameter, value) == 1, "mallopt accepts a documented parameter");
      std::free(std::malloc(opaque(std::size_t{300'000})));
      std::free(std::malloc(opaque(std::size_t{30})));
    }
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

TEST(MallocTrim, AnswersZeroOrOne) {
  for (const std::size_t pad : {std::size_t{0}, std::size_t{1} << 20, SIZE_MAX}) {
    const int answer = malloc_trim(pad);
    EXPECT_TRUE(answer == 0 || answer == 1) << answer;
  }
}

TEST(MallocTrim, GivesFreedMemoryBackAtOnce) {
  const support::Outcome outcome = support::in_child([] {
    const std::size_t total = std::size_t{256} << 20;
    auto **blocks = static_cast<void **>(support::map_bytes(total / 128 * sizeof(void *)));
    for (std::size_t i = 0; i < total / 128; ++i)
      std::memset(blocks[i] = std::malloc(opaque(std::size_t{128})), 1, 128);
    void *pin = std::malloc(opaque(std::size_t{128})); // so that the heap's end cannot simply fall
    const std::size_t peak = support::resident_bytes();
    for (std::size_t i = 0; i < total / 128; ++i) std::free(blocks[i]);
    support::unmap_bytes(blocks, total / 128 * sizeof(void *));
    malloc_trim(0);
    support::require(support::resident_bytes() < peak / 10, "RSS falls below a tenth of its peak");
    std::free(pin);
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

} // namespace
