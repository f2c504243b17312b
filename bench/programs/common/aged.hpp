// An aged heap: most programs run in a heap that others have used before, not in a fresh one.
// Fills the heap with a litter of mixed sizes and frees a random part of it, so that what is
// allocated afterwards meets holes of every size in random order.
#pragma once

#include "memory.hpp"
#include "random.hpp"

#include <cstdint>

namespace bench {

class AgedHeap {
public:
  static constexpr const char *kHelp = "bytes of litter to allocate first, 3/4 of it freed again";
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 36;

  AgedHeap(std::uint64_t bytes, std::uint64_t seed, std::uint64_t freed_percent = 75) {
    if (bytes == 0) return;
    Random random(seed ^ 0x6c6974746572u);
    allocate_litter(bytes, random);
    shuffle(blocks_, count_, random);
    const std::uint64_t kept = count_ * (100 - freed_percent) / 100;
    for (std::uint64_t i = kept; i < count_; ++i) std::free(blocks_[i]);
    count_ = kept;
  }

  ~AgedHeap() {
    for (std::uint64_t i = 0; i < count_; ++i) std::free(blocks_[i]);
    std::free(blocks_);
  }

  AgedHeap(const AgedHeap &) = delete;
  AgedHeap &operator=(const AgedHeap &) = delete;

private:
  // Small sizes are the most frequent: the exponent is even over 16 B .. 1 KiB.
  static std::size_t litter_size(Random &random) {
    const std::uint64_t exponent = random.between(4, 9);
    return random.between(std::uint64_t{1} << exponent, std::uint64_t{2} << exponent);
  }

  void allocate_litter(std::uint64_t bytes, Random &random) {
    blocks_ = allocate_array<void *>(bytes / 16 + 1);
    for (std::uint64_t filled = 0; filled < bytes;) {
      const std::size_t size = litter_size(random);
      auto *block = allocate_array<char>(size);
      block[0] = static_cast<char>(size); // litter that was used: its page is in memory
      blocks_[count_++] = block;
      filled += size;
    }
  }

  void **blocks_ = nullptr;
  std::uint64_t count_ = 0;
};

} // namespace bench
