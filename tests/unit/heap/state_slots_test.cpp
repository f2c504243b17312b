#include "heap/state_slots.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <vector>

namespace abut::heap {
namespace {

struct Part {
  uint8_t *states;
  unsigned lines;
  uint8_t mark;
};

void fill(const Part &part) { std::memset(part.states, part.mark, part.lines * kLineBytes); }

bool is_untouched(const Part &part) {
  for (size_t i = 0; i < part.lines * kLineBytes; ++i)
    if (part.states[i] != part.mark) return false;
  return true;
}

// Of the lengths that classes have, in any order, as many at once as a segment has pages.
TEST(StateSlots, HaveRoomForEveryPageWhateverCameBefore) {
  constexpr unsigned kLines[] = {128, 64, 32, 22, 16, 13, 11, 8, 7, 4, 2, 1};
  constexpr size_t kPages = 64;
  const auto slots = std::make_unique<StateSlots>();
  std::vector<Part> parts;
  std::mt19937 random(1);
  for (int step = 0; step < 20'000; ++step) {
    const bool grows = parts.empty() || (parts.size() < kPages && random() % 8 != 0);
    if (grows) {
      const unsigned lines = kLines[random() % std::size(kLines)];
      parts.push_back({slots->take(lines), lines, static_cast<uint8_t>(step)});
      ASSERT_NE(parts.back().states, nullptr) << step;
      fill(parts.back());
    } else {
      std::swap(parts[random() % parts.size()], parts.back());
      ASSERT_TRUE(is_untouched(parts.back())) << step;
      slots->give_back(parts.back().states);
      parts.pop_back();
    }
    if (random() % 100 == 0) slots->trim();
  }
  for (const Part &part : parts) {
    EXPECT_TRUE(is_untouched(part));
    slots->give_back(part.states);
  }
  slots->trim();
}

TEST(StateSlots, ShareAPageWithTheirLike) {
  const auto slots = std::make_unique<StateSlots>();
  const auto page_of = [](const uint8_t *states) {
    return reinterpret_cast<Address>(states) / kPageBytes;
  };
  const uint8_t *first = slots->take(16);
  const uint8_t *other = slots->take(32);
  EXPECT_EQ(page_of(slots->take(16)), page_of(first));
  EXPECT_NE(page_of(other), page_of(first));
  slots->give_back(first);
  EXPECT_EQ(slots->take(16), first);
}

} // namespace
} // namespace abut::heap
