// Pointers that are no live block of the heap: the library names the call, the pointer and the
// reason, and aborts. Only what its documentation promises to detect; other allocators promise
// nothing, so these run under ours alone. tests/security commits the usual faults of C programs.
#include "support/allocator.hpp"
#include "support/child.hpp"
#include "support/opaque.hpp"

#include <cinttypes>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <malloc.h>
#include <new>
#include <regex>
#include <string>
#include <thread>

using support::opaque;

namespace {

class InvalidUse : public testing::Test {
protected:
  void SetUp() override {
    if (!support::runs_under_abut()) GTEST_SKIP() << "only this library promises a message";
  }

  // `misuse` receives nothing and must end in a message about `call` on a pointer.
  static void expect_refused(const std::string &call, const std::function<void()> &misuse) {
    const support::Outcome outcome = support::in_child(misuse);
    EXPECT_TRUE(outcome.killed_by(SIGABRT)) << outcome.text();
    const std::regex message("(^|\n)abut: [^\n]*" + call + "[^\n]*0x[0-9a-f]+[^\n]* [^\n]+\n");
    EXPECT_TRUE(std::regex_search(outcome.error, message)) << outcome.text();
  }

  static void expect_free_refused(void *pointer) {
    expect_refused("free", [pointer] { std::free(opaque(pointer)); });
  }
};

char static_bytes[4096];

TEST_F(InvalidUse, FreeOfCodeAndOfConstants) {
  expect_free_refused(reinterpret_cast<void *>(&std::atoi));
  expect_free_refused(const_cast<char *>("a constant that nobody allocated"));
}

TEST_F(InvalidUse, FreeOfWildNumbers) {
  for (const std::uintptr_t number :
       {std::uintptr_t{1}, std::uintptr_t{16}, std::uintptr_t{4096}, std::uintptr_t{0xdeadbeef},
        std::uintptr_t{1} << 46, std::uintptr_t{1} << 47, std::uintptr_t{1} << 48,
        std::uintptr_t{1} << 63, ~std::uintptr_t{0}, ~std::uintptr_t{15}})
    expect_free_refused(reinterpret_cast<void *>(number));
}

class InvalidUseOfABlock : public InvalidUse, public testing::WithParamInterface<std::size_t> {};

TEST_P(InvalidUseOfABlock, FreeInsideIt) {
  auto *block = static_cast<char *>(std::malloc(GetParam()));
  expect_free_refused(block + 1);
  if (GetParam() >= 48) expect_free_refused(block + GetParam() / 32 * 16);
  std::free(block);
}

TEST_P(InvalidUseOfABlock, ReallocToZeroTwice) {
  const std::size_t size = GetParam();
  expect_refused("realloc", [size] {
    void *block = std::malloc(size);
    opaque(std::realloc(opaque(block), opaque(std::size_t{0})));
    opaque(std::realloc(opaque(block), opaque(std::size_t{0})));
  });
}

TEST_P(InvalidUseOfABlock, DeleteTwice) {
  const std::size_t size = GetParam();
  expect_refused("delete|free", [size] {
    void *block = ::operator new(size);
    ::operator delete(opaque(block));
    ::operator delete(opaque(block));
  });
}

INSTANTIATE_TEST_SUITE_P(OfBytes, InvalidUseOfABlock,
                         testing::Values(1, 8, 16, 48, 512, 3000, 30'000, 400'000, 6'000'000,
                                         200'000'000),
                         testing::PrintToStringParamName());

// The owner meets what others free when it looks for room: a mistake among that ends the process by then, unless the
// block has been handed out again in the meantime.
class DoubleFreeAcrossThreads : public InvalidUse, public testing::WithParamInterface<std::size_t> {
protected:
  static void look_for_room(std::size_t size) {
    for (int i = 0; i < 20000; ++i) opaque(std::malloc(size));
  }
  static void free_in_a_thread(void *block, int times) {
    std::thread([=] {
      for (int i = 0; i < times; ++i) std::free(opaque(block));
    }).join();
  }
};

TEST_P(DoubleFreeAcrossThreads, ByAnotherAndThenTheOwner) {
  const std::size_t size = GetParam();
  expect_refused("free", [size] {
    void *block = std::malloc(size);
    free_in_a_thread(block, 1);
    void *more = std::malloc(size);
    std::free(opaque(block));
    std::free(opaque(more));
    malloc_trim(0);
    look_for_room(size);
  });
}

TEST_P(DoubleFreeAcrossThreads, ByAnotherTwice) {
  const std::size_t size = GetParam();
  expect_refused("free", [size] {
    void *block = std::malloc(size);
    free_in_a_thread(block, 2);
    look_for_room(size);
  });
}

TEST_P(DoubleFreeAcrossThreads, ByTheOwnerAndThenAnother) {
  const std::size_t size = GetParam();
  expect_refused("free", [size] {
    void *block = std::malloc(size);
    void *more = std::malloc(size);
    std::free(opaque(block));
    std::free(opaque(more));
    free_in_a_thread(block, 1);
    malloc_trim(0);
    look_for_room(size);
  });
}

INSTANTIATE_TEST_SUITE_P(OfBytes, DoubleFreeAcrossThreads, testing::Values(8, 16, 48, 512, 3000),
                         testing::PrintToStringParamName());

TEST_F(InvalidUse, ReallocOfAForeignPointer) {
  expect_refused("realloc", [] { opaque(std::realloc(opaque<void *>(static_bytes), 100)); });
}

TEST_F(InvalidUse, UsableSizeOfAForeignPointer) {
  expect_refused("malloc_usable_size",
                 [] { opaque(malloc_usable_size(opaque<void *>(static_bytes))); });
}

TEST_F(InvalidUse, MessageNamesThePointerItself) {
  const support::Outcome outcome =
      support::in_child([] { std::free(opaque<void *>(static_bytes)); });
  char address[32];
  std::snprintf(address, sizeof address, "0x%" PRIxPTR,
                reinterpret_cast<std::uintptr_t>(static_bytes));
  EXPECT_NE(outcome.error.find(address), std::string::npos) << address << " in " << outcome.error;
}

} // namespace
