#include "placement/plan/format.hpp"

#include "helpers/any_plan.hpp"
#include "placement/plan/slot_writer.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace abut::plan {
namespace {

template <typename Part>
void put(std::vector<uint8_t> &bytes, const Part &part) {
  bytes.resize(bytes.size() + sizeof part);
  std::memcpy(bytes.data() + bytes.size() - sizeof part, &part, sizeof part);
}

// They follow each other, leave one out, go back, and are of other sizes.
constexpr std::array kSlots = {Slot{0, 3, 3},   Slot{3, 2, 4}, Slot{0, 2, 0},
                               Slot{200, 2, 4}, Slot{7, 2, 4}, Slot{11, 2, 4}};

// One context with slots and one with a pool.
std::vector<uint8_t> small_plan() {
  std::vector<uint8_t> bytes;
  Header header{};
  header.steps = 2;
  header.memory_bytes = 3 * kPoolAlign;
  header.modules = header.pools = 1;
  header.contexts = 2;
  header.slots = kSlots.size();
  std::vector<uint8_t> coded;
  code(kSlots, coded);
  put(bytes, header);
  put(bytes, Module{{1, 2, 3}, 20});
  put(bytes, Context{{Step{1, 0x10}, Step{1, 0x20}}, 0, kSlots.size(), 0});
  put(bytes, Context{{Step{1, 0x30}}, coded.size(), 0, 1});
  put(bytes, Pool{kPoolAlign, 2 * kPoolAlign});
  bytes.insert(bytes.end(), coded.begin(), coded.end());
  return bytes;
}

TEST(PlanFormat, APlanThatIsSoundIsAccepted) {
  EXPECT_EQ(test::check_any_plan(small_plan()), test::Verdict::sound);
}

TEST(PlanFormat, WithoutItsChecksumsItIsNot) {
  View view;
  const std::vector<uint8_t> bytes = small_plan();
  EXPECT_STREQ(check(bytes, view), "it is no plan");
  EXPECT_EQ(view.header, nullptr);
}

TEST(PlanFormat, SlotsAreReadAsTheyWereWritten) {
  support::Random random(7);
  std::vector<Slot> slots(kSlots.begin(), kSlots.end());
  for (int i = 0; i < 2000; ++i) {
    const auto requested = static_cast<uint16_t>(1 + random.below(kMostObject));
    const auto kept =
        static_cast<uint16_t>(random.below(8) == 0 ? 0 : 1 + random.below(kMostObject));
    const auto offset = static_cast<uint32_t>(random.next() >> (32 + random.below(32)));
    slots.push_back({kept == 0 ? 0 : offset, requested, kept});
  }
  slots.push_back({UINT32_MAX, 1, 1});
  slots.push_back({0, 1, 1});
  std::vector<uint8_t> coded;
  code(slots, coded);
  SlotReader reader(coded.data()), checked(coded.data());
  for (const Slot &slot : slots) {
    const Slot read = reader.next();
    EXPECT_EQ(read.offset, slot.offset);
    EXPECT_EQ(read.requested, slot.requested);
    EXPECT_EQ(read.kept, slot.kept);
    Slot same{};
    EXPECT_TRUE(checked.next_checked(coded.data() + coded.size(), same));
    EXPECT_EQ(same.offset, slot.offset);
  }
  EXPECT_EQ(reader.at(), coded.data() + coded.size());
}

TEST(PlanFormat, NeighboursOfOneSizeTakeAByteEach) {
  std::vector<Slot> slots;
  for (uint32_t i = 0; i < 1000; ++i) slots.push_back({i * 3, 3, 3});
  std::vector<uint8_t> coded;
  code(slots, coded);
  EXPECT_EQ(coded.size(), slots.size() + 2);
}

// Checksums guard against accidents; these are plans that somebody made to do harm.
TEST(PlanFormat, NoPlanIsAcceptedThatIsUnsound) {
  support::Random random(5);
  unsigned sound = 0;
  for (int round = 0; round < 60'000; ++round) {
    std::vector<uint8_t> bytes = small_plan();
    for (uint64_t changes = 1 + random.below(3); changes > 0; --changes) {
      const uint64_t at = random.below(bytes.size());
      bytes[at] = random.below(2) != 0 ? static_cast<uint8_t>(random.next())
                                       : static_cast<uint8_t>(bytes[at] + 1);
    }
    const test::Verdict verdict = test::check_any_plan(bytes);
    ASSERT_NE(verdict, test::Verdict::unsound) << round;
    sound += verdict == test::Verdict::sound;
  }
  EXPECT_GT(sound, 1000U); // or nothing was tested
}

} // namespace
} // namespace abut::plan
