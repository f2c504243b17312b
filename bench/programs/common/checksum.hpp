// Folds what a program computed into one number, so that its output proves the work was done and
// done alike under every allocator. Order matters; addresses must never be folded in.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bench {

class Checksum {
public:
  void add(std::uint64_t value) {
    sum_ = (sum_ ^ value) * 0x9fb21c651e98df25u;
    sum_ ^= sum_ >> 29;
  }

  void add_bytes(const void *bytes, std::size_t size) {
    const auto *at = static_cast<const unsigned char *>(bytes);
    for (std::size_t i = 0; i < size; ++i) add(at[i]);
  }

  std::uint64_t value() const { return sum_; }

private:
  std::uint64_t sum_ = 0xcbf29ce484222325u;
};

} // namespace bench
