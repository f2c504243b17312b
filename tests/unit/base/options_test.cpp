// The list of options may grow, so the tests take what they need to know from the list itself.
#include "base/options.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace abut {
namespace {

SetOption set(const std::string &name, const std::string &text) {
  return set_option(name.data(), name.size(), text.c_str());
}

std::vector<Option> options_of(OptionKind kind) {
  std::vector<Option> result;
  for (size_t i = 0; i < kOptionCount; ++i)
    if (option_info(static_cast<Option>(i)).kind == kind) result.push_back(static_cast<Option>(i));
  return result;
}

// The words in brackets that open a choice's help.
std::vector<std::string> words_of(const OptionInfo &info) {
  std::vector<std::string> words;
  const std::string help = info.help;
  std::string list = help.substr(1, help.find(']') - 1) + " ";
  for (size_t space = 0; (space = list.find(' ')) != std::string::npos; list.erase(0, space + 1))
    words.push_back(list.substr(0, space));
  return words;
}

// Puts every option back to its default when a test ends.
class Options : public testing::Test {
protected:
  void TearDown() override {
    for (size_t i = 0; i < kOptionCount; ++i) {
      const OptionInfo &info = option_info(static_cast<Option>(i));
      const auto at = static_cast<size_t>(info.standard);
      const std::string text = info.kind == OptionKind::path     ? ""
                               : info.kind == OptionKind::choice ? words_of(info)[at]
                                                                 : std::to_string(info.standard);
      ASSERT_EQ(set(info.name, text), SetOption::done) << info.name;
    }
  }
};

TEST_F(Options, HaveSensibleDeclarations) {
  std::set<std::string> names;
  for (size_t i = 0; i < kOptionCount; ++i) {
    const OptionInfo &info = option_info(static_cast<Option>(i));
    EXPECT_TRUE(names.insert(info.name).second) << info.name << " is there twice";
    EXPECT_EQ(std::string(info.name).find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"),
              std::string::npos)
        << info.name;
    EXPECT_LE(info.low, info.standard) << info.name;
    EXPECT_LE(info.standard, info.high) << info.name;
    EXPECT_GT(std::strlen(info.help), 20U) << info.name;
    if (info.kind == OptionKind::choice) {
      EXPECT_EQ(info.low, 0) << info.name;
      EXPECT_EQ(words_of(info).size(), static_cast<size_t>(info.high) + 1) << info.name;
    }
  }
}

TEST_F(Options, HaveTheirDefaultsUntilTheyAreSet) {
  for (size_t i = 0; i < kOptionCount; ++i) {
    const auto option = static_cast<Option>(i);
    if (option_info(option).kind == OptionKind::path)
      EXPECT_STREQ(option_path(option), "");
    else
      EXPECT_EQ(option_value(option), option_info(option).standard) << option_info(option).name;
  }
}

TEST_F(Options, TakeEveryNumberInTheirRange) {
  const std::vector<Option> numbers = options_of(OptionKind::number);
  ASSERT_FALSE(numbers.empty());
  for (Option option : numbers) {
    const OptionInfo &info = option_info(option);
    for (int64_t value : {info.low, info.standard, (info.low + info.high) / 2, info.high}) {
      EXPECT_EQ(set(info.name, std::to_string(value)), SetOption::done) << info.name;
      EXPECT_EQ(option_value(option), value) << info.name;
    }
  }
}

TEST_F(Options, RefuseNumbersOutOfRangeAndKeepWhatTheyHad) {
  for (Option option : options_of(OptionKind::number)) {
    const OptionInfo &info = option_info(option);
    ASSERT_EQ(set(info.name, std::to_string(info.high)), SetOption::done);
    EXPECT_EQ(set(info.name, std::to_string(info.high + 1)), SetOption::out_of_range) << info.name;
    if (info.low > 0) {
      EXPECT_EQ(set(info.name, std::to_string(info.low - 1)), SetOption::out_of_range) << info.name;
    }
    EXPECT_EQ(option_value(option), info.high) << info.name;
  }
}

TEST_F(Options, RefuseWhatIsNotANumber) {
  const std::string most = std::to_string(std::numeric_limits<int64_t>::max());
  for (Option option : options_of(OptionKind::number)) {
    const OptionInfo &info = option_info(option);
    for (const std::string &text :
         {std::string(), std::string(" 1"), std::string("1 "), std::string("-1"), std::string("+1"),
          std::string("0x10"), std::string("1k"), std::string("ten"), most + "0",
          std::string(400, '9')})
      EXPECT_EQ(set(info.name, text), SetOption::not_a_value) << info.name << "=" << text;
    EXPECT_EQ(option_value(option), info.standard) << info.name;
  }
}

TEST_F(Options, NeverTakeAHugeNumberForASmallOne) {
  // Where digits would be lost on the way to 64 bits, 2^64 + 1 would be 1.
  for (Option option : options_of(OptionKind::number))
    for (const char *text :
         {"9223372036854775807", "9223372036854775808", "18446744073709551617"}) {
      EXPECT_NE(set(option_info(option).name, text), SetOption::done) << text;
      EXPECT_EQ(option_value(option), option_info(option).standard);
    }
}

TEST_F(Options, TakeEveryWordOfAChoice) {
  const std::vector<Option> choices = options_of(OptionKind::choice);
  ASSERT_FALSE(choices.empty());
  for (Option option : choices) {
    const OptionInfo &info = option_info(option);
    const std::vector<std::string> words = words_of(info);
    for (size_t i = 0; i < words.size(); ++i) {
      EXPECT_EQ(set(info.name, words[i]), SetOption::done) << info.name << "=" << words[i];
      EXPECT_EQ(option_value(option), static_cast<int64_t>(i)) << info.name << "=" << words[i];
    }
  }
}

TEST_F(Options, RefuseWordsThatAreNotOfTheChoice) {
  for (Option option : options_of(OptionKind::choice)) {
    const OptionInfo &info = option_info(option);
    const std::string word = words_of(info).front();
    const std::string help = info.help;
    const std::string later = help.substr(help.find(' ', help.find(']')) + 1, 3);
    for (const std::string &text : {std::string(), word + "x", word.substr(1), " " + word,
                                    word + " ", word + "]", std::string("99"), later})
      EXPECT_EQ(set(info.name, text), SetOption::not_a_value) << info.name << "=" << text;
    EXPECT_EQ(option_value(option), info.standard) << info.name;
  }
}

TEST_F(Options, TakeAPathAndRefuseOneThatIsTooLong) {
  const std::vector<Option> paths = options_of(OptionKind::path);
  ASSERT_FALSE(paths.empty());
  for (Option option : paths) {
    const OptionInfo &info = option_info(option);
    const std::string longest(kOptionPathBytes - 1, 'p');
    EXPECT_EQ(set(info.name, longest), SetOption::done);
    EXPECT_EQ(option_path(option), longest);
    EXPECT_EQ(set(info.name, longest + "p"), SetOption::too_long);
    EXPECT_EQ(option_path(option), longest);
    EXPECT_EQ(set(info.name, "/tmp/a b.json"), SetOption::done);
    EXPECT_STREQ(option_path(option), "/tmp/a b.json");
  }
}

TEST_F(Options, KnowTheirNamesExactly) {
  const std::string name = option_info(Option::decay_ms).name;
  EXPECT_EQ(set("", "1"), SetOption::unknown_name);
  EXPECT_EQ(set(name + "x", "1"), SetOption::unknown_name);
  EXPECT_EQ(set(name.substr(1), "1"), SetOption::unknown_name);
  EXPECT_EQ(set_option(name.data(), name.size() - 1, "1"), SetOption::unknown_name);
  // The name is a length and a place: what follows it does not matter.
  const std::string longer = name + "=7";
  EXPECT_EQ(set_option(longer.data(), name.size(), "7"), SetOption::done);
  EXPECT_EQ(option_value(Option::decay_ms), 7);
}

} // namespace
} // namespace abut
