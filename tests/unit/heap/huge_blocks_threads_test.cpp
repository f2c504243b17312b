#include "heap/huge_blocks.hpp"
#include "heap/segment_map.hpp"
#include "helpers/option_setting.hpp"
#include "support/random.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>

namespace abut::heap {
namespace {

constexpr size_t kMost = 4 * kSegmentBytes;

// Makes a huge block, has it shrink, grow and move, and frees it. Nothing is ever written to it.
void live(support::Random &random) {
  const auto any = [&] { return kLargeMax + 1 + random.below(kMost); };
  bool clean = false;
  auto block = reinterpret_cast<Address>(allocate_huge(any(), 1, clean));
  ASSERT_NE(block, 0);
  for (unsigned i = 0; i < 3; ++i)
    if (void *resized = resize_huge(huge_block_at(block), any()))
      block = reinterpret_cast<Address>(resized);
  free_huge(huge_block_at(block));
}

TEST(HugeBlocksThreads, OneReadsWhatAnotherFrees) {
  const test::OptionSetting retain{Option::retain_mb, 0};
  bool clean = false;
  void *first = allocate_huge(kMost, 1, clean);
  ASSERT_NE(first, nullptr);
  const Address begin = round_down(reinterpret_cast<Address>(first), kSegmentBytes);
  std::atomic<bool> ended{false};
  std::atomic<uint64_t> met{0}, read{0};
  std::thread reader([&] {
    support::Random random(1);
    while (!ended) {
      const Address address = begin + kPageBytes + random.below(16 * kSegmentBytes) / 8 * 8;
      met += is_huge(address);
      read += read_huge(address) != 0;
    }
  });
  support::Random random(2);
  for (unsigned i = 0; i < 300 || met < 1000; ++i) live(random);
  ended = true;
  reader.join();
  free_huge(huge_block_at(reinterpret_cast<Address>(first)));
  EXPECT_LT(read, met); // of the descriptions before blocks a few words
}

} // namespace
} // namespace abut::heap
