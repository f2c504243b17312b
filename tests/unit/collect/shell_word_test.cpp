// Words for a shell: it must read back what was meant.
#include "collect/shell_word.hpp"

#include <cstdio>
#include <gtest/gtest.h>

namespace {

using abut::record::shell_word;

std::string read_by_a_shell(const std::string &word) {
  const std::string command = "printf %s " + word;
  FILE *const pipe = popen(command.c_str(), "r");
  std::string text;
  for (int one = std::fgetc(pipe); one != EOF; one = std::fgetc(pipe))
    text += static_cast<char>(one);
  pclose(pipe);
  return text;
}

TEST(ShellWord, LeavesPlainPathsAlone) {
  for (const char *path : {"run.trace", "/tmp/a-b_c/1,2+3@4%5=6:7"})
    EXPECT_EQ(shell_word(path), path);
}

TEST(ShellWord, IsReadBackAsItWasMeant) {
  for (const char *path :
       {"a b.trace", "it's", "$HOME/*", "\"`x`\"", "a\\b", "a;b&c|d", "new\nline", "é"})
    EXPECT_EQ(read_by_a_shell(shell_word(path)), path);
}

TEST(ShellWord, OfNothingIsAWordAllTheSame) { EXPECT_EQ(shell_word(""), "''"); }

} // namespace
