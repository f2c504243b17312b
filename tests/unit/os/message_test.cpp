#include "os/message.hpp"

#include "support/child.hpp"

#include <csignal>
#include <cstdio>
#include <gtest/gtest.h>
#include <string>

namespace abut::os {
namespace {

std::string text(const Message &message) { return {message.text(), message.length()}; }

TEST(Message, JoinsTextsNumbersAndPointers) {
  Message message;
  message << "a " << uint64_t{42} << ", " << reinterpret_cast<const void *>(Address{0x1234})
          << "\n";
  EXPECT_EQ(text(message), "a 42, 0x1234\n");
}

TEST(Message, WritesEveryNumberAsPrintfDoes) {
  for (const uint64_t number :
       {uint64_t{0}, uint64_t{7}, uint64_t{10}, uint64_t{18446744073709551615U}}) {
    Message message;
    message << number;
    EXPECT_EQ(text(message), std::to_string(number));
  }
}

TEST(Message, WritesEveryPointerAsPrintfDoes) {
  for (const Address address : {Address{1}, Address{0xf0}, Address{0x7fffdeadbeef}, ~Address{0}}) {
    const auto *pointer = reinterpret_cast<const void *>(address);
    Message message;
    message << pointer;
    char expected[32];
    std::snprintf(expected, sizeof expected, "%p", pointer);
    EXPECT_EQ(text(message), expected);
  }
}

TEST(Message, WritesTheNullPointerAsANumber) {
  Message message;
  message << static_cast<const void *>(nullptr);
  EXPECT_EQ(text(message), "0x0");
}

TEST(Message, IsCutOffRatherThanOverflowing) {
  Message message;
  const std::string piece(100, 'x');
  for (int i = 0; i < 50; ++i) message << piece.c_str() << uint64_t{123456789};
  const size_t full = message.length();
  EXPECT_GE(full, 400U);
  EXPECT_LT(full, 5000U);
  message << "more" << &full;
  EXPECT_EQ(message.length(), full);
}

TEST(Message, AppendsAPartOfAText) {
  Message message;
  message.append("abcdef", 3);
  message.append("", 0);
  EXPECT_EQ(text(message), "abc");
}

TEST(Message, GoesToStandardError) {
  const support::Outcome outcome = support::in_child([] {
    Message message;
    message << "said " << uint64_t{1} << "\n";
    message.write();
  });
  EXPECT_EQ(outcome.error, "said 1\n");
}

TEST(Fail, NamesCallPointerAndReasonAndAborts) {
  const support::Outcome outcome =
      support::in_child([] { fail("free", reinterpret_cast<void *>(Address{0x10}), "no reason"); });
  EXPECT_TRUE(outcome.killed_by(SIGABRT)) << outcome.text();
  EXPECT_EQ(outcome.error, "abut: free(0x10): no reason\n");
}

} // namespace
} // namespace abut::os
