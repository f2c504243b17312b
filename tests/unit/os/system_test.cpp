// The rest of os.hpp: clock, random numbers, files, the end of the process.
#include "os/os.hpp"

#include "support/child.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <string>
#include <unistd.h>

namespace abut::os {
namespace {

TEST(CoarseMilliseconds, NeverGoBackAndKeepUpWithTime) {
  const uint64_t start = coarse_milliseconds();
  uint64_t last = start;
  for (int i = 0; i < 20; ++i) {
    usleep(5000);
    const uint64_t now = coarse_milliseconds();
    EXPECT_GE(now, last);
    last = now;
  }
  EXPECT_GE(last - start, 80U) << "twenty sleeps of 5 ms, less one tick of a slow kernel";
}

TEST(RandomNumber, DiffersFromCallToCall) {
  std::set<uint64_t> seen;
  uint64_t ones = 0;
  uint64_t zeros = 0;
  for (int i = 0; i < 256; ++i) {
    const uint64_t number = random_number();
    seen.insert(number);
    ones |= number;
    zeros |= ~number;
  }
  EXPECT_EQ(seen.size(), 256U);
  EXPECT_EQ(ones & zeros, ~uint64_t{0}) << "every bit takes both values";
}

TEST(ProcessId, IsTheKernels) { EXPECT_EQ(process_id(), static_cast<unsigned>(getpid())); }

class File : public testing::Test {
protected:
  File() : path_(testing::TempDir() + "abut-os-file-" + std::to_string(getpid())) {}
  ~File() override { std::remove(path_.c_str()); }

  std::string contents() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const std::string path_;
};

TEST_F(File, IsCreatedAndReplaced) {
  const std::string longer(100000, 'l');
  for (const std::string &text : {longer, std::string("short\n"), std::string()}) {
    const int file = create_file(path_.c_str());
    ASSERT_GE(file, 0);
    EXPECT_TRUE(write_file(file, text.data(), text.size()));
    close_file(file);
    EXPECT_EQ(contents(), text);
  }
}

TEST_F(File, IsRefusedWithoutTouchingErrno) {
  errno = 123;
  EXPECT_EQ(create_file("/no/such/folder/file"), -1);
  EXPECT_FALSE(write_file(-1, "x", 1));
  EXPECT_EQ(errno, 123);
}

TEST_F(File, StaysTheDescriptorsOwnerAcrossExec) {
  const int file = create_file(path_.c_str());
  ASSERT_GE(file, 0);
  const std::string test = "[ ! -e /proc/self/fd/" + std::to_string(file) + " ]";
  const support::Outcome outcome = support::in_child([&] {
    execl("/bin/sh", "sh", "-c", test.c_str(), static_cast<char *>(nullptr));
    _exit(2);
  });
  EXPECT_TRUE(outcome.succeeded()) << "an executed program inherits the file: " << outcome.text();
  close_file(file);
}

// Where the other one waits for the same processor, and is of a lower real-time priority, no yield lets it run.
TEST(Relax, SleepsInTheEnd) {
  const uint64_t begun = nanoseconds();
  relax(1'000'000);
  EXPECT_GE(nanoseconds() - begun, 50'000);
}

TEST(WriteError, WritesToStandardErrorAtOnce) {
  const support::Outcome outcome = support::in_child([] {
    write_error("abc", 2);
    write_error("\n", 1);
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  EXPECT_EQ(outcome.error, "ab\n");
}

TEST(AbortProcess, EndsItByTheSignal) {
  const support::Outcome outcome = support::in_child([] { abort_process(); });
  EXPECT_TRUE(outcome.killed_by(SIGABRT)) << outcome.text();
}

} // namespace
} // namespace abut::os
