// vfork with exec, posix_spawn, system and popen, from a program whose threads allocate.
#include "stress/storm.hpp"

#include <array>
#include <cstdio>
#include <gtest/gtest.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace {

class Spawning : public testing::Test {
protected:
  static int status_of(pid_t child) {
    int status = -1;
    return waitpid(child, &status, 0) == child ? status : -1;
  }

private:
  const stress::Storm storm_{2};
};

TEST_F(Spawning, ByVfork) {
  for (int i = 0; i < 200; ++i) {
    const pid_t child = vfork();
    if (child == 0) {
      execl("/bin/sh", "sh", "-c", "exit 0", nullptr);
      _exit(127);
    }
    ASSERT_EQ(status_of(child), 0);
  }
}

TEST_F(Spawning, ByVforkOfAProgramThatIsNotThere) {
  for (int i = 0; i < 200; ++i) {
    const pid_t child = vfork();
    if (child == 0) {
      execlp("no-such-program-anywhere", "none", nullptr);
      _exit(42);
    }
    ASSERT_EQ(WEXITSTATUS(status_of(child)), 42);
  }
}

TEST_F(Spawning, ByPosixSpawn) {
  std::array<char *, 4> arguments{const_cast<char *>("sh"), const_cast<char *>("-c"),
                                  const_cast<char *>("exit 3"), nullptr};
  for (int i = 0; i < 200; ++i) {
    pid_t child = -1;
    ASSERT_EQ(posix_spawn(&child, "/bin/sh", nullptr, nullptr, arguments.data(), environ), 0);
    ASSERT_EQ(WEXITSTATUS(status_of(child)), 3);
  }
}

TEST_F(Spawning, BySystemAndPopen) {
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(WEXITSTATUS(std::system("exit 5")), 5);
    std::FILE *stream = popen("echo a line", "r");
    ASSERT_NE(stream, nullptr);
    std::array<char, 64> line{};
    EXPECT_NE(std::fgets(line.data(), line.size(), stream), nullptr);
    EXPECT_EQ(std::string(line.data()), "a line\n");
    EXPECT_EQ(pclose(stream), 0);
  }
}

} // namespace
