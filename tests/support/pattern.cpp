#include "support/pattern.hpp"

#include "support/random.hpp"

#include <algorithm>
#include <cstring>

namespace support {
namespace {

// One multiplication a word: cheap enough to fill gigabytes, and different at every offset.
std::uint64_t word_at(std::uint64_t key, std::size_t index) {
  return (key + index) * 0x9e3779b97f4a7c15u;
}

constexpr std::size_t kDense = std::size_t{64} << 10;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kOfEachPage = 64;

// Calls `look(offset, length)` on each part of a block that the sparse kind looks at, while it says
// yes.
template <typename Look>
bool each_part(std::size_t size, const Look &look) {
  bool more = look(std::size_t{0}, std::min(size, kDense));
  for (std::size_t at = kDense; more && at < size; at += kPage)
    more = look(at, std::min(size - at, kOfEachPage));
  return more;
}

} // namespace

void fill_sparsely(void *block, std::size_t size, std::uint64_t key) {
  each_part(size, [&](std::size_t at, std::size_t length) {
    fill(static_cast<char *>(block) + at, length, key + at);
    return true;
  });
}

bool holds_sparsely(const void *block, std::size_t size, std::uint64_t key) {
  return each_part(size, [&](std::size_t at, std::size_t length) {
    return holds(static_cast<const char *>(block) + at, length, key + at);
  });
}

void fill(void *block, std::size_t size, std::uint64_t key) {
  auto *bytes = static_cast<unsigned char *>(block);
  const std::uint64_t start = mixed(key);
  for (std::size_t at = 0; at < size; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = word_at(start, at);
    std::memcpy(bytes + at, &word, std::min(sizeof word, size - at));
  }
}

bool holds(const void *block, std::size_t size, std::uint64_t key) {
  const auto *bytes = static_cast<const unsigned char *>(block);
  const std::uint64_t start = mixed(key);
  for (std::size_t at = 0; at < size; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = word_at(start, at);
    if (std::memcmp(bytes + at, &word, std::min(sizeof word, size - at)) != 0) return false;
  }
  return true;
}

bool all_zero(const void *block, std::size_t size) {
  const auto *bytes = static_cast<const unsigned char *>(block);
  // A block is zero when its first byte is, and every byte equals the one before it.
  return size == 0 || (bytes[0] == 0 && std::memcmp(bytes, bytes + 1, size - 1) == 0);
}

} // namespace support
