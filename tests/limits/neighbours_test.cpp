// Mappings that the program made itself, wherever they lie, are its own: nothing that grows or moves touches them.
#include "support/child.hpp"
#include "support/opaque.hpp"
#include "support/pattern.hpp"
#include "support/units.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <vector>

using support::opaque;
using support::require;

namespace {

using support::MiB;

constexpr size_t kPage = 4096;

char *map_near(void *block, size_t distance, size_t bytes) {
  void *hint =
      reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(block) + distance) & ~(kPage - 1));
  void *memory = mmap(hint, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(memory != MAP_FAILED, "the program can map");
  support::fill(memory, bytes, distance);
  return static_cast<char *>(memory);
}

// A block grows through the addresses around it, in which the program has mappings at `distances` behind it.
void grow_among(const std::vector<size_t> &distances, size_t first, size_t last, size_t step) {
  constexpr size_t kBytes = 2 * kPage;
  char *block = static_cast<char *>(std::malloc(first));
  require(block != nullptr, "there is memory");
  std::vector<char *> mappings;
  mappings.reserve(distances.size());
  for (const size_t distance : distances) mappings.push_back(map_near(block, distance, kBytes));
  std::memset(block, 0x5a, kPage);
  for (size_t bytes = first; bytes <= last; bytes += step) {
    block = static_cast<char *>(opaque(std::realloc(block, bytes)));
    require(block != nullptr, "there is memory to grow");
    block[bytes - 1] = 1;
    for (size_t i = 0; i < kPage; ++i) require(block[i] == 0x5a, "the block keeps its contents");
    for (size_t i = 0; i < mappings.size(); ++i)
      require(support::holds(mappings[i], kBytes, distances[i]), "the program's mapping is intact");
  }
  std::free(block);
  for (char *mapping : mappings) munmap(mapping, kBytes);
}

void expect_untouched(const std::vector<size_t> &distances, size_t first, size_t last,
                      size_t step) {
  const support::Outcome outcome =
      support::in_child([&] { grow_among(distances, first, last, step); });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

TEST(Neighbours, OfAHugeBlockSurviveItsGrowth) {
  for (const size_t distance : {4, 5, 8, 12, 16, 32, 64, 100, 200, 300, 500})
    expect_untouched({distance * MiB}, 3 * MiB, 400 * MiB, 21 * MiB);
}

TEST(Neighbours, AllAroundAHugeBlockSurviveItsGrowth) {
  std::vector<size_t> distances;
  for (size_t distance = 4 * MiB; distance <= 500 * MiB; distance += 12 * MiB)
    distances.push_back(distance);
  expect_untouched(distances, 3 * MiB, 300 * MiB, 11 * MiB);
}

// Whatever is mapped after the block was: large blocks, huge ones, more segments.
TEST(Neighbours, AreNotInTheWayOfNewBlocks) {
  const support::Outcome outcome = support::in_child([] {
    char *anchor = static_cast<char *>(std::malloc(8 * MiB));
    std::array<char *, 40> mappings{};
    for (size_t i = 0; i < mappings.size(); ++i)
      mappings[i] = map_near(anchor, 8 * MiB + i * 5 * MiB, kPage);
    std::vector<void *> blocks;
    for (size_t bytes = 1000; bytes < 20 * MiB; bytes += bytes / 3)
      for (int i = 0; i < 8; ++i) {
        blocks.push_back(opaque(std::calloc(1, bytes)));
        require(blocks.back() != nullptr && support::all_zero(blocks.back(), bytes),
                "a new block reads as zero");
        std::memset(blocks.back(), 0xee, bytes);
      }
    for (size_t i = 0; i < mappings.size(); ++i)
      require(support::holds(mappings[i], kPage, 8 * MiB + i * 5 * MiB), "a mapping is intact");
    for (void *block : blocks) std::free(block);
    std::free(anchor);
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

// As programs do that run WebAssembly, and those with a cage for pointers.
TEST(Neighbours, MayReserveMoreThanTheHeapHasAddresses) {
  const support::Outcome outcome = support::in_child([] {
    for (int i = 0; i < 600; ++i)
      if (mmap(nullptr, 8192 * MiB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
               0) == MAP_FAILED)
        return;
    for (int i = 0; i < 100'000; ++i)
      require(opaque(std::malloc(100'000)) != nullptr, "there is room for large blocks");
    require(opaque(std::malloc(3 * MiB)) != nullptr, "there is room for huge ones");
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

} // namespace
