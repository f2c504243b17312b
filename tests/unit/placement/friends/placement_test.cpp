#include "placement/friends/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>

namespace abut::near {
namespace {

constexpr Address kSite = 0x7f0000123456;

// Ways that can be told apart: each returns its number.
template <size_t kNumber>
void *way(size_t, uint64_t) {
  return reinterpret_cast<void *>(kNumber);
}
template <size_t... kNumbers>
constexpr std::array<Way *, sizeof...(kNumbers)> ways_for(std::index_sequence<kNumbers...>) {
  return {way<kNumbers>...};
}
constinit const std::array kSomeWays = ways_for(std::make_index_sequence<kWays>());

struct NoteGrouped : testing::Test {
  NoteGrouped() {
    here.site = kSite;
    for (auto &ways : ways_of) ways = reinterpret_cast<const Ways *>(kSomeWays.data());
  }
  ~NoteGrouped() override {
    std::ranges::fill(ways_of, nullptr);
    here.site = 0;
    forget_sites_at_once(Forget::all);
  }
  KnownSite &here = group::place_of(kSite);
};

TEST_F(NoteGrouped, ASiteWhoseObjectsGoWithTheirGroupIsKnownAtOnce) {
  note_grouped(kSite);
  const KnownSite *known = at_once(kSite).known();
  ASSERT_EQ(known, &here);
  EXPECT_EQ(known->way_of(Call::malloc), kSomeWays[kGroupWay]);
  EXPECT_EQ(known->way_of(Call::operator_new), kSomeWays[kGroupWay]);
}

TEST_F(NoteGrouped, NotWhileGroupsAreFormed) {
  begin_to_look(Looker::group);
  group::formation.is_on = true;
  note_grouped(kSite);
  EXPECT_EQ(at_once(kSite).known(), nullptr);
  group::formation.is_on = false;
  end_to_look(Looker::group);
}

TEST_F(NoteGrouped, NotWhileFriendsAreLookedFor) {
  begin_to_look(Looker::near);
  looks_left = 1;
  note_grouped(kSite);
  EXPECT_EQ(at_once(kSite).known(), nullptr);
  looks_left = 0;
  end_to_look(Looker::near);
}

} // namespace
} // namespace abut::near
