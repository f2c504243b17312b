// Chains of return addresses, held against what backtrace() tells.
#include "context/chain_table.hpp"

#include "context/probe.hpp"

#include <algorithm>
#include <alloca.h>
#include <array>
#include <coroutine>
#include <csetjmp>
#include <csignal>
#include <dlfcn.h>
#include <execinfo.h>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <ucontext.h>
#include <vector>

namespace abut::context {
namespace {

constexpr unsigned kDeep = 8;

struct Chains {
  Address ours[kDeep] = {};
  unsigned length = 0;
  // From backtrace(), which begins inside this test. Nothing that a long jump would leave behind.
  std::array<Address, 64> reference{};
};

void *take_chain(Frame frame, void *argument) {
  auto &chains = *static_cast<Chains *>(argument);
  chains.length = chain_table.capture(frame, chains.ours, kDeep);
  void *addresses[64];
  const int count = backtrace(addresses, 64);
  for (int i = 0; i < count; ++i)
    chains.reference[static_cast<unsigned>(i)] = reinterpret_cast<Address>(addresses[i]);
  return nullptr;
}

// The chain is what backtrace() tells from the caller of the entry point outwards; at least `least` long.
void expect_same(const Chains &chains, unsigned least) {
  ASSERT_GE(chains.length, least);
  auto at = std::find(chains.reference.begin(), chains.reference.end(), chains.ours[0]);
  for (unsigned i = 0; i < chains.length; ++i, ++at) {
    ASSERT_NE(at, chains.reference.end()) << i;
    EXPECT_EQ(chains.ours[i], *at) << i;
  }
}

[[gnu::noinline]] void deeper(int levels, Chains &chains) {
  if (levels == 0)
    probe(take_chain, &chains);
  else
    deeper(levels - 1, chains);
  asm volatile("" ::: "memory"); // no tail call
}

[[gnu::noinline]] void with_alloca(size_t bytes, Chains &chains) {
  auto *memory = static_cast<volatile char *>(alloca(bytes));
  memory[0] = 1;
  deeper(2, chains);
  memory[bytes - 1] = 1;
}

[[gnu::noinline]] void realigned(Chains &chains) {
  alignas(128) char memory[256];
  asm volatile("" ::"r"(memory) : "memory");
  with_alloca(100, chains);
  asm volatile("" ::"r"(memory) : "memory");
}

TEST(Capture, AgreesWithBacktrace) {
  Chains chains;
  deeper(3, chains);
  expect_same(chains, kDeep);
}

TEST(Capture, GoesThroughFramesOfVariableSizeAndRealignedOnes) {
  Chains chains;
  realigned(chains);
  expect_same(chains, kDeep);
}

TEST(Capture, EndsWhereAThreadBegan) {
  Chains chains;
  std::thread([&] { probe(take_chain, &chains); }).join();
  expect_same(chains, 2);
}

Chains *of_coroutine;
ucontext_t main_context, coroutine_context;

TEST(Capture, StaysOnTheStackOfACoroutine) {
  Chains chains;
  of_coroutine = &chains;
  auto stack = std::make_unique<char[]>(64 * KiB);
  getcontext(&coroutine_context);
  coroutine_context.uc_stack.ss_sp = stack.get();
  coroutine_context.uc_stack.ss_size = 64 * KiB;
  coroutine_context.uc_link = &main_context;
  makecontext(
      &coroutine_context, [] { deeper(1, *of_coroutine); }, 0);
  swapcontext(&main_context, &coroutine_context);
  expect_same(chains, 3);
}

Chains *of_signal;

TEST(Capture, EndsAtTheFrameOfASignal) {
  Chains chains;
  of_signal = &chains;
  void *one[1];
  backtrace(one, 1); // the first call loads a library, which no signal's handler may
  const auto before = std::signal(SIGUSR1, [](int) { deeper(1, *of_signal); });
  std::raise(SIGUSR1);
  std::signal(SIGUSR1, before);
  expect_same(chains, 3);
  EXPECT_LT(chains.length, kDeep);
}

// backtrace() itself believes every table, and faults where one lies.
void *take_ours(Frame frame, void *argument) {
  auto &chains = *static_cast<Chains *>(argument);
  chains.length = chain_table.capture(frame, chains.ours, kDeep);
  return nullptr;
}

// Assembly that keeps to no table: it moves the stack pointer and calls.
asm(".pushsection .text\n"
    "call_without_table:\n"
    "sub $40, %rsp\n"
    "call *%rdx\n"
    "add $40, %rsp\n"
    "ret\n"
    // The same with a table that lies by a megabyte.
    "call_with_wrong_table:\n"
    ".cfi_startproc\n"
    ".cfi_def_cfa_offset 0x100000\n"
    "sub $40, %rsp\n"
    "call *%rdx\n"
    "add $40, %rsp\n"
    "ret\n"
    ".cfi_endproc\n"
    ".popsection\n");
extern "C" void *call_without_table(Probe, void *, decltype(&probe));
extern "C" void *call_with_wrong_table(Probe, void *, decltype(&probe));

TEST(Capture, EndsAtCodeWithoutATableOrWithAWrongOne) {
  Chains without, wrong;
  call_without_table(take_ours, &without, probe);
  EXPECT_EQ(without.length, 1U);
  call_with_wrong_table(take_ours, &wrong, probe);
  EXPECT_EQ(wrong.length, 1U);
}

[[gnu::noinline]] void throw_deep(int levels) {
  Chains chains;
  deeper(1, chains);
  expect_same(chains, kDeep);
  if (levels == 0) throw levels;
  throw_deep(levels - 1);
}

TEST(Capture, IsRightBeforeAndAfterAnException) {
  for (int i = 0; i < 3; ++i) EXPECT_THROW(throw_deep(3), int);
  Chains chains;
  deeper(2, chains);
  expect_same(chains, kDeep);
}

std::jmp_buf far_back;
void (*volatile jump_far)(std::jmp_buf, int) = std::longjmp;

[[gnu::noinline]] void jump_out(int levels) {
  Chains chains;
  deeper(1, chains);
  expect_same(chains, kDeep);
  if (levels == 0) jump_far(far_back, 1);
  if (levels != 0) jump_out(levels - 1);
}

TEST(Capture, IsRightBeforeAndAfterALongJump) {
  static int round = 0; // a register may be as it was before
  for (round = 0; round < 3; ++round)
    if (setjmp(far_back) == 0) jump_out(3);
  Chains chains;
  deeper(2, chains);
  expect_same(chains, kDeep);
}

// What runs on the stack of whoever resumes it, and in between on none.
struct Coroutine {
  struct promise_type {
    Coroutine get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    static std::suspend_always initial_suspend() { return {}; }
    static std::suspend_always final_suspend() noexcept { return {}; }
    static void return_void() {}
    static void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};

Coroutine capture_twice(Chains &first, Chains &second) {
  deeper(1, first);
  co_await std::suspend_always{};
  deeper(1, second);
}

[[gnu::noinline]] void resume_deeper(Coroutine coroutine, int levels) {
  if (levels == 0)
    coroutine.handle.resume();
  else
    resume_deeper(coroutine, levels - 1);
  asm volatile("" ::: "memory");
}

TEST(Capture, GoesFromACoroutineToWhoeverResumedIt) {
  Chains first, second;
  const Coroutine coroutine = capture_twice(first, second);
  resume_deeper(coroutine, 1);
  resume_deeper(coroutine, 4);
  coroutine.handle.destroy();
  expect_same(first, kDeep);
  expect_same(second, kDeep);
  EXPECT_NE(std::vector(first.ours + 3, first.ours + kDeep),
            std::vector(second.ours + 3, second.ours + kDeep));
}

Chains *of_plugin;

// Two libraries that differ in their frames take turns at one address.
TEST(Capture, ForgetsCodeThatWasUnloaded) {
  for (int i = 0; i < 6; ++i) {
    void *library = dlopen(i % 2 == 0 ? CALLS_BACK_SMALL : CALLS_BACK_LARGE, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    auto *call_back = reinterpret_cast<void (*)(void (*)())>(dlsym(library, "call_back"));
    Chains chains;
    of_plugin = &chains;
    call_back([] { deeper(1, *of_plugin); });
    expect_same(chains, kDeep);
    const uint16_t generation = chain_table.generation();
    dlclose(library);
    chain_table.drop_unloaded();
    EXPECT_NE(chain_table.generation(), generation);
  }
}

} // namespace
} // namespace abut::context
