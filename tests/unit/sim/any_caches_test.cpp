// Random caches under random references, for the sanitizers; what they count is checked against models elsewhere.
#include "helpers/any_caches.hpp"

#include <gtest/gtest.h>
#include <random>

namespace abut::test {
namespace {

TEST(AnyCaches, CountWhatCanBe) {
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    std::vector<uint8_t> bytes(random() % 600);
    for (uint8_t &byte : bytes) byte = static_cast<uint8_t>(random() % 256);
    const std::optional<std::string> wrong = check_any_caches(bytes);
    ASSERT_FALSE(wrong) << *wrong << " in round " << round;
  }
}

} // namespace
} // namespace abut::test
