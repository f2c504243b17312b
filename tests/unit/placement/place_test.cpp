#include "placement/place.hpp"

#include "helpers/option_setting.hpp"

#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace abut {
namespace {

std::string words_of_the_option() {
  const std::string help = option_info(Option::place).help;
  return help.substr(1, help.find(']') - 1);
}

class PlaceTest : public testing::Test {
protected:
  void TearDown() override { EXPECT_EQ(set_option("place", 5, "auto"), SetOption::done); }

  static Place chosen(const char *value, bool profile_assigns, const Assigns &here) {
    EXPECT_EQ(set_option("place", 5, value), SetOption::done) << value;
    return chosen_place(profile_assigns, here);
  }

  // With another option set.
  static std::string said(const char *place, Option option, int64_t value) {
    const test::OptionSetting setting(option, value);
    testing::internal::CaptureStderr();
    chosen(place, false, {});
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(PlaceTest, EveryValueIsDeclaredUnderItsWord) {
  std::istringstream words(words_of_the_option());
  std::string word;
  for (int64_t value = 0; words >> word; ++value) EXPECT_EQ(word, declared_place(value).value);
}

TEST_F(PlaceTest, TheContextsOfAProfileHavePoolsWhereAutoOrPoolsIsSet) {
  for (int64_t value = 0; value <= option_info(Option::place).high; ++value) {
    const std::string word = declared_place(value).value;
    const bool is_taken = word == "auto" || word == "pools";
    EXPECT_NE(chosen(word.c_str(), false, {}).pools, Pools::assigned) << word;
    testing::internal::CaptureStderr();
    EXPECT_EQ(chosen(word.c_str(), true, {.any = true, .pools = true}).pools == Pools::assigned,
              is_taken)
        << word;
    EXPECT_EQ(testing::internal::GetCapturedStderr().empty(), is_taken) << word;
  }
}

TEST_F(PlaceTest, TheContextsOfAProfileHaveFriendsWhereItSaysSo) {
  const Assigns plain{.any = true}, beside{.any = true, .beside = true};
  EXPECT_EQ(chosen("pools", true, beside).friends, Friends::assigned);
  EXPECT_EQ(chosen("pools", true, beside).pools, Pools::none);
  EXPECT_EQ(chosen("pools", true, plain).friends, Friends::none);
  EXPECT_EQ(chosen("auto", true, beside).friends, Friends::every);
  EXPECT_EQ(chosen("auto", true, plain).friends, Friends::every);
}

TEST_F(PlaceTest, AnotherProgramUnderTheProfileHasNoPools) {
  EXPECT_EQ(chosen("pools", true, {}).pools, Pools::none);
  EXPECT_EQ(chosen("auto", true, {}).pools, Pools::none);
  EXPECT_EQ(chosen("pools", false, {}).pools, Pools::every);
}

TEST_F(PlaceTest, WhatHasNoEffectIsSaid) {
  EXPECT_EQ(said("friends", Option::group_bytes, 64),
            "abut: ABUT_GROUP_BYTES has no effect with ABUT_PLACE=friends\n");
  EXPECT_EQ(said("auto", Option::group_objects, 64),
            "abut: ABUT_GROUP_OBJECTS has no effect with ABUT_PLACE=auto\n");
  EXPECT_EQ(said("pools", Option::sample_us, 300),
            "abut: ABUT_SAMPLE_US has no effect with ABUT_PLACE=pools\n");
  EXPECT_EQ(said("pools", Option::group_bytes, 64), "");
  EXPECT_EQ(said("auto:pools", Option::group_objects, 64), "");
  EXPECT_EQ(said("pools:sampled", Option::sample_us, 300), "");
}

TEST_F(PlaceTest, WhatReplacesAnOptionIsSaidInValuesThatThereAre) {
  const std::string words = " " + words_of_the_option() + " ";
  for (const char *option : {"friends", "groups", "group_merge", "group_pools", "sample"}) {
    ASSERT_NE(replacement_for(option), nullptr) << option;
    std::istringstream text(replacement_for(option));
    for (std::string word; text >> word;) {
      const std::string variable = "ABUT_PLACE=";
      if (!word.starts_with(variable)) continue;
      const std::string value = word.substr(variable.size(), word.find(',') - variable.size());
      EXPECT_NE(words.find(" " + value + " "), std::string::npos) << value;
    }
  }
  EXPECT_EQ(replacement_for("order"), nullptr);
}

} // namespace
} // namespace abut
