#include "plan/format.hpp"

#include "helpers/any_plan.hpp"
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

// One context with slots and one with a pool.
std::vector<uint8_t> small_plan() {
  std::vector<uint8_t> bytes;
  Header header{};
  header.steps = 2;
  header.memory_bytes = 3 * kPoolAlign;
  header.modules = header.pools = 1;
  header.contexts = 2;
  header.slots = 3;
  put(bytes, header);
  put(bytes, Module{{1, 2, 3}, 20});
  put(bytes, Context{{Step{1, 0x10}, Step{1, 0x20}}, 0, 3, 0});
  put(bytes, Context{{Step{1, 0x30}}, 3, 0, 1});
  put(bytes, Pool{kPoolAlign, 2 * kPoolAlign});
  put(bytes, Slot{0, 3, 3});
  put(bytes, Slot{3, 2, 4});
  put(bytes, Slot{0, 2, 0});
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
