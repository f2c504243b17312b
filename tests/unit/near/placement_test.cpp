#include "near/placement.hpp"

#include <gtest/gtest.h>

namespace abut::near {
namespace {

constexpr Address kSite = 0x7f0000123456;

struct NoteGrouped : testing::Test {
  NoteGrouped() { here.site = kSite; }
  ~NoteGrouped() override {
    here.site = 0;
    forget_sites_at_once();
  }
  KnownSite &here = group::pooled_sites[kSite % group::kSites];
};

TEST_F(NoteGrouped, ASiteWhoseObjectsGoWithTheirGroupIsKnownAtOnce) {
  note_grouped(kSite);
  const KnownSite *known = at_once(kSite).known();
  ASSERT_EQ(known, &here);
  EXPECT_EQ(known->way, kGroupWay);
}

TEST_F(NoteGrouped, NotWhileGroupsAreFormed) {
  begin_to_look(Looker::group);
  group::forming = true;
  note_grouped(kSite);
  EXPECT_EQ(at_once(kSite).known(), nullptr);
  group::forming = false;
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
