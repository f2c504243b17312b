#include "context/frame_rule.hpp"

#include "context/cfi_program.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <vector>

namespace abut::context {
namespace {

Address of(const void *pointer) { return reinterpret_cast<Address>(pointer); }

CfiRow run(std::vector<uint8_t> program, bool expected = true) {
  const CfiRow initial;
  CfiRow row;
  const CfiReader in(of(program.data()), of(program.data()) + program.size());
  EXPECT_EQ(run_cfi_program(in, {1, -8, 0x1b}, 0x1000, 0x1010, initial, row), expected);
  return row;
}

TEST(CfiProgram, StopsAtTheInstruction) {
  // def_cfa_offset 16; advance 16; def_cfa_offset 32; advance 1; def_cfa_offset 64
  EXPECT_EQ(run({0x0e, 16, 0x50, 0x0e, 32, 0x41, 0x0e, 64}).cfa_offset, 32);
}

TEST(CfiProgram, RemembersAndRecalls) {
  EXPECT_EQ(run({0x0e, 16, 0x0a, 0x0e, 32, 0x0b}).cfa_offset, 16);
}

TEST(CfiProgram, KnowsWhereRbpWasSaved) {
  const CfiRow row = run({0x86, 2});
  EXPECT_EQ(row.rbp.how, CfiRow::Saved::at_cfa);
  EXPECT_EQ(row.rbp.offset, -16);
}

TEST(CfiProgram, UnderstandsTheFrameOfARealignedStack) {
  const CfiRow row = run({0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0});
  EXPECT_TRUE(row.cfa_expression);
  EXPECT_EQ(row.cfa_offset, -8);
  EXPECT_EQ(row.rbp.how, CfiRow::Saved::at_rbp);
}

TEST(CfiProgram, RefusesWhatItDoesNotKnow) {
  run({0x3f}, false); // no such instruction
  run({0x0e}, false); // cut short
  run({0x0b}, false); // recalls what was never remembered
  run({0x0e, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}, false);
  run(std::vector<uint8_t>(20, 0x0a), false);       // remembers without end
  run({0x0f, 0xff, 0x7f, 0x76}, false);             // an expression longer than the program
  EXPECT_TRUE(run({0x0f, 2, 0x77, 0}).cfa_unknown); // rsp + 0, without the load
}

TEST(CfiProgram, NeverReadsBeyondItsEnd) {
  // Every program of two bytes, at the very end of what can be read.
  auto *pages = static_cast<uint8_t *>(
      mmap(nullptr, 2 * kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_EQ(mprotect(pages + kPageBytes, kPageBytes, PROT_NONE), 0);
  const Address end = of(pages + kPageBytes);
  const CfiRow initial;
  for (unsigned program = 0; program < 0x10000; ++program) {
    pages[kPageBytes - 2] = static_cast<uint8_t>(program >> 8);
    pages[kPageBytes - 1] = static_cast<uint8_t>(program);
    CfiRow row;
    run_cfi_program(CfiReader(end - 2, end), {1, -8, 0x1b}, 0x1000, 0x1010, initial, row);
  }
  munmap(pages, 2 * kPageBytes);
}

TEST(FindProcedure, HasNoneForCodeMadeAtRunTime) {
  const Address memory[4] = {};
  EXPECT_FALSE(find_procedure(of(memory)).rule);
  EXPECT_FALSE(find_procedure(0).rule);
}

TEST(FindProcedure, GivesTheBoundsOfTheProcedure) {
  const auto here = reinterpret_cast<Address>(&of);
  const Procedure procedure = find_procedure(here + 1);
  EXPECT_EQ(procedure.code.begin, here);
  EXPECT_TRUE(procedure.rule);
}

// A stack of two pages, with nothing above it.
class Step : public testing::Test {
protected:
  void SetUp() override {
    stack_ = static_cast<char *>(
        mmap(nullptr, 3 * kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_EQ(mprotect(stack_ + 2 * kPageBytes, kPageBytes, PROT_NONE), 0);
  }
  void TearDown() override { munmap(stack_, 3 * kPageBytes); }

  Frame frame(size_t from_end) const {
    return {reinterpret_cast<const Address *>(stack_ + 2 * kPageBytes - from_end), 0};
  }
  static FrameRule rule(FrameRule::Form form, int32_t offset) {
    return {offset, 0, form, FrameRule::Rbp::same};
  }

  char *stack_ = nullptr;
};

TEST_F(Step, LeadsToTheCaller) {
  Frame at = frame(64);
  const Address *sp = at.sp;
  ASSERT_TRUE(step(rule(FrameRule::Form::from_rsp, 32), at));
  EXPECT_EQ(at.sp, sp + 4);
}

TEST_F(Step, StaysOnTheStackWhateverTheRule) {
  for (int32_t offset : {0, -8, 4, 64, 72, 4096, 1 << 20, INT32_MAX, INT32_MIN}) {
    Frame at = frame(64);
    const Address *sp = at.sp;
    EXPECT_FALSE(step(rule(FrameRule::Form::from_rsp, offset), at)) << offset;
    EXPECT_EQ(at.sp, sp);
  }
}

TEST_F(Step, DoubtsEveryRbp) {
  for (Address rbp : {Address{0}, Address{8}, ~Address{0}, of(stack_), of(stack_) + 2 * kPageBytes,
                      of(stack_) + 2 * kPageBytes - 3}) {
    for (auto form : {FrameRule::Form::from_rbp, FrameRule::Form::through_rbp}) {
      Frame at = frame(64);
      at.rbp = rbp;
      EXPECT_FALSE(step(rule(form, 16), at)) << rbp;
    }
  }
  Frame at = frame(64);
  at.rbp = of(stack_) + 2 * kPageBytes - 16;
  EXPECT_TRUE(step(rule(FrameRule::Form::from_rbp, 16), at));
}

} // namespace
} // namespace abut::context
