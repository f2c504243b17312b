// What operator new does when memory is lacking: the new-handler's protocol of [new.delete.single],
// and bad_alloc.
#include "support/child.hpp"
#include "support/opaque.hpp"
#include "support/process_memory.hpp"

#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>
#include <sys/resource.h>
#include <utility>

using support::opaque;

namespace {

constexpr std::size_t kImpossible = SIZE_MAX / 2 - 65536;
int handler_calls = 0;

class NewHandler : public testing::Test {
protected:
  void SetUp() override { handler_calls = 0; }
  void TearDown() override { std::set_new_handler(nullptr); }
};

void give_up_at_the_third_call() {
  if (++handler_calls == 3) std::set_new_handler(nullptr);
}

struct OutOfPatience : std::bad_alloc {};

void throw_own_exception() {
  ++handler_calls;
  throw OutOfPatience();
}

TEST_F(NewHandler, IsNotNeededForBadAlloc) {
  EXPECT_THROW(opaque(::operator new(opaque(kImpossible))), std::bad_alloc);
  EXPECT_THROW(opaque(::operator new[](opaque(kImpossible))), std::bad_alloc);
  EXPECT_THROW(opaque(::operator new (opaque(kImpossible), std::align_val_t{64})), std::bad_alloc);
  EXPECT_THROW(opaque(::operator new[](opaque(kImpossible), std::align_val_t{64})), std::bad_alloc);
  EXPECT_THROW(opaque(::operator new(opaque(SIZE_MAX))), std::bad_alloc);
}

TEST_F(NewHandler, IsNotNeededForANullFromNothrow) {
  EXPECT_EQ(::operator new(opaque(kImpossible), std::nothrow), nullptr);
  EXPECT_EQ(::operator new[](opaque(kImpossible), std::nothrow), nullptr);
  EXPECT_EQ(::operator new (opaque(kImpossible), std::align_val_t{64}, std::nothrow), nullptr);
  EXPECT_EQ(::operator new[](opaque(kImpossible), std::align_val_t{64}, std::nothrow), nullptr);
}

TEST_F(NewHandler, IsCalledAgainUntilItGivesUp) {
  std::set_new_handler(give_up_at_the_third_call);
  EXPECT_THROW(opaque(::operator new(opaque(kImpossible))), std::bad_alloc);
  EXPECT_EQ(handler_calls, 3);
}

TEST_F(NewHandler, IsCalledByTheAlignedForms) {
  std::set_new_handler(give_up_at_the_third_call);
  EXPECT_THROW(opaque(::operator new (opaque(kImpossible), std::align_val_t{4096})),
               std::bad_alloc);
  EXPECT_EQ(handler_calls, 3);
}

TEST_F(NewHandler, IsCalledByTheNothrowForms) {
  std::set_new_handler(give_up_at_the_third_call);
  EXPECT_EQ(::operator new(opaque(kImpossible), std::nothrow), nullptr);
  EXPECT_EQ(handler_calls, 3);
  handler_calls = 0;
  std::set_new_handler(give_up_at_the_third_call);
  EXPECT_EQ(::operator new (opaque(kImpossible), std::align_val_t{64}, std::nothrow), nullptr);
  EXPECT_EQ(handler_calls, 3);
}

TEST_F(NewHandler, MayThrowThroughOperatorNew) {
  std::set_new_handler(throw_own_exception);
  EXPECT_THROW(opaque(::operator new(opaque(kImpossible))), OutOfPatience);
  EXPECT_THROW(opaque(::operator new[](opaque(kImpossible))), OutOfPatience);
  EXPECT_THROW(opaque(::operator new (opaque(kImpossible), std::align_val_t{64})), OutOfPatience);
  EXPECT_EQ(handler_calls, 3);
}

TEST_F(NewHandler, ThatThrowsMakesNothrowReturnNull) {
  std::set_new_handler(throw_own_exception);
  EXPECT_EQ(::operator new(opaque(kImpossible), std::nothrow), nullptr);
  EXPECT_EQ(::operator new (opaque(kImpossible), std::align_val_t{64}, std::nothrow), nullptr);
  EXPECT_EQ(handler_calls, 2);
}

void *reserve = nullptr;

void free_the_reserve() {
  ++handler_calls;
  support::require(reserve != nullptr, "one reserve is enough");
  std::free(std::exchange(reserve, nullptr));
}

TEST_F(NewHandler, CanFreeMemoryForTheRequestThatCalledIt) {
  const support::Outcome outcome = support::in_child([] {
    constexpr std::size_t size = std::size_t{100} << 20;
    const rlim_t limit = support::mapped_bytes() + 5 * size;
    const rlimit tight{limit, limit};
    support::require(setrlimit(RLIMIT_AS, &tight) == 0, "setrlimit works");
    while (void *block = std::malloc(opaque(size)))
      reserve = block; // the others are lost, so that this one is all there is
    std::set_new_handler(free_the_reserve);
    void *block = ::operator new(opaque(size));
    support::require(handler_calls == 1, "the handler was called once");
    ::operator delete(block);
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

TEST_F(NewHandler, IsNotCalledByMalloc) {
  std::set_new_handler(throw_own_exception);
  EXPECT_EQ(std::malloc(opaque(kImpossible)), nullptr);
  EXPECT_EQ(handler_calls, 0);
}

} // namespace
