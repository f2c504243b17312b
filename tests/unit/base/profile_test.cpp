#include "base/profile.hpp"

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace abut {
namespace {

struct Read {
  std::vector<std::string> settings; // name=value@line
  std::vector<std::string> entries;  // of lists: name=value@entry
  const char *fault;
  unsigned line;
};

Read read(const std::string &text) {
  ProfileReader reader(text);
  Read found;
  ProfileReader::Setting setting;
  while (reader.next(setting)) {
    const std::string line = std::string(setting.name) + "=" + std::string(setting.value) + "@";
    if (setting.table == ProfileReader::Table::settings)
      found.settings.push_back(line + std::to_string(setting.line));
    if (setting.table >= ProfileReader::Table::module)
      found.entries.push_back(line + std::to_string(setting.entry));
  }
  found.fault = reader.fault();
  found.line = reader.line();
  return found;
}

const std::string kProfile = "# measured: 0.82 (0.80 to 0.84)\n"
                             "profile = 1\n"
                             "\n"
                             "[program]\n"
                             "name = \"lua5.4\" # the interpreter\n"
                             "build_id = \"3f60\"\n"
                             "[settings]\n"
                             "order = \"birth\"\r\n"
                             "  retain_mb=64# MiB\n"
                             "plan = \"\"\n";

TEST(Profile, HasSettings) {
  const Read found = read(kProfile);
  EXPECT_EQ(found.fault, nullptr);
  EXPECT_EQ(found.settings,
            (std::vector<std::string>{"order=birth@8", "retain_mb=64@9", "plan=@10"}));
}

TEST(Profile, HasListsOfModulesAndContexts) {
  const Read found = read("profile = 1\n[[module]]\nname = \"a\"\n[[context]] # hot\npool = 1\n"
                          "calls = \"a+0x1(f) a+0x2\"\n[[context]]\npool = 2\n");
  EXPECT_EQ(found.fault, nullptr);
  EXPECT_EQ(found.entries, (std::vector<std::string>{"name=a@1", "pool=1@2",
                                                     "calls=a+0x1(f) a+0x2@2", "pool=2@3"}));
}

TEST(Profile, WithoutTheTableHasNoSettings) {
  const Read found = read("profile = 1\n[machine]\nprocessor = \"x\"\n");
  EXPECT_EQ(found.fault, nullptr);
  EXPECT_TRUE(found.settings.empty());
}

TEST(Profile, SaysWhichLineIsWrong) {
  for (const char *line : {"order",
                           "order birth",
                           "order = birth",
                           "order = \"birth",
                           "order = \"bi\\rth\"",
                           "order = \"birth\" friends",
                           "order = 'birth'",
                           "order =",
                           "= 1",
                           "ORDER = 1",
                           "order = -1",
                           "order = 1.5",
                           "order = 1 2",
                           "[settings",
                           "[settings] order = 1",
                           "[contexts]",
                           "[[settings]]",
                           "[context]",
                           "[[context]",
                           "[[context]] 1",
                           "[]",
                           "order = \"a\tb\""}) {
    const Read found = read("profile = 1\n[settings]\nfriends = \"off\"\n" + std::string(line) +
                            "\nretain_mb = 1\n");
    EXPECT_NE(found.fault, nullptr) << line;
    EXPECT_EQ(found.line, 4U) << line;
    EXPECT_EQ(found.settings.size(), 1U) << line;
  }
}

TEST(Profile, BeginsWithItsFormat) {
  for (const char *text :
       {"# nothing\n", "[settings]\norder = \"birth\"\n", "profile = 2\n[settings]\n",
        "profile = \"\"\n", "format = 1\n", "[program]\nprofile = 1\n",
        "\x7f"
        "ELF\n"})
    EXPECT_NE(read(text).fault, nullptr) << text;
  EXPECT_NE(read("profile = 1").fault, nullptr) << "its last line is cut off";
}

// Whatever is done to a profile, what is read points into it, and reading ends.
TEST(Profile, MayHoldAnything) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string text = kProfile.substr(0, random() % (kProfile.size() + 1));
    for (unsigned change = random() % 4; change > 0 && !text.empty(); --change)
      text[random() % text.size()] = static_cast<char>(random());
    ProfileReader reader(text);
    ProfileReader::Setting setting;
    while (reader.next(setting)) {
      ASSERT_GE(setting.value.data(), text.data());
      ASSERT_LE(setting.value.data() + setting.value.size(), text.data() + text.size());
    }
  }
}

} // namespace
} // namespace abut
