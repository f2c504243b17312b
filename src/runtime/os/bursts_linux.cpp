// Bursts by timers of the kernel: one for each thread, which counts its processor time and signals it alone.
#include "os/bursts.hpp"

#include "os/keep_errno.hpp"
#include "os/os.hpp"

#include <atomic>
#include <csignal>
#include <ctime>
#include <initializer_list>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace abut::os {
namespace {

constexpr size_t kStackBytes = 64 * KiB;
constexpr size_t kLeastStack = 16 * KiB;
constexpr Address kOnTheSameStack = 4 * MiB;
constexpr unsigned kMostThreads = 64;
constexpr uint64_t kSecond = 1'000'000'000;
// One without a name, which few programs use.
int burst_signal() { return SIGRTMAX - 3; }

struct Slot {
  std::atomic<bool> taken{false};
  int timer = 0;
  unsigned process = 0;  // a child has the slots of its parent, but not the timers
  void *stack = nullptr; // null where the thread has one of its own
};

Slot slots[kMostThreads];
Burst handler = nullptr;
std::atomic<bool> running{false};
constexpr uint64_t kNoSequence = 0;

void arm(const Slot &slot, uint64_t delay) {
  itimerspec when{};
  when.it_value.tv_sec = static_cast<time_t>(delay / kSecond);
  when.it_value.tv_nsec = static_cast<long>(delay % kSecond);
  syscall(SYS_timer_settime, slot.timer, 0, &when, nullptr);
}

// A fault in the midst of a burst would show a program that catches it another address than it expects.
bool catches_faults() {
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) {
    struct sigaction action = {};
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) return true;
  }
  return false;
}

// Returns that are not by the processor's own instruction would not match it.
bool has_shadow_stack() {
  uint64_t shadow = 0;
  asm volatile("rdsspq %0" : "+r"(shadow));
  return shadow != 0;
}

constexpr int kOrder[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                          REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
constexpr uint64_t kArithmeticFlags = 0xcd5; // and the direction

// The kernel's note, in bytes of an xsave area that the processor leaves alone, of what it has saved there.
uint64_t parts_of(const void *extended) {
  constexpr size_t kNote = 464;
  constexpr uint32_t kMagic = 0x46505853;
  const auto *note =
      reinterpret_cast<const uint32_t *>(static_cast<const char *>(extended) + kNote);
  return note[0] == kMagic ? *reinterpret_cast<const uint64_t *>(note + 2) : 0;
}

// False where no burst can be had now.
bool take(const ucontext_t &context, Registers &registers) {
  const auto &general = context.uc_mcontext.gregs;
  for (unsigned i = 0; i < 16; ++i)
    registers.general[i] = static_cast<uint64_t>(general[kOrder[i]]);
  registers.flags = static_cast<uint64_t>(general[REG_EFL]);
  registers.instruction = static_cast<Address>(general[REG_RIP]);
  registers.extended = context.uc_mcontext.fpregs;
  registers.extended_parts = registers.extended != nullptr ? parts_of(registers.extended) : 0;
  const auto here = reinterpret_cast<Address>(&registers);
  const bool own_stack = registers.general[Registers::kRsp] - here < kOnTheSameStack;
  return registers.extended_parts != 0 && !own_stack && *restartable_sequence() == 0;
}

void give_back(const Registers &registers, ucontext_t &context) {
  auto &general = context.uc_mcontext.gregs;
  for (unsigned i = 0; i < 16; ++i) general[kOrder[i]] = static_cast<greg_t>(registers.general[i]);
  const uint64_t kept = static_cast<uint64_t>(general[REG_EFL]) & ~kArithmeticFlags;
  general[REG_EFL] = static_cast<greg_t>(kept | (registers.flags & kArithmeticFlags));
  general[REG_RIP] = static_cast<greg_t>(registers.instruction);
}

void on_signal(int, siginfo_t *about, void *interrupted) {
  const KeepErrno keep;
  const auto *slot = static_cast<const Slot *>(about->si_value.sival_ptr);
  if (about->si_code != SI_TIMER || !running.load(std::memory_order_relaxed)) return;
  if (catches_faults() || has_shadow_stack()) return stop_bursts();
  auto &context = *static_cast<ucontext_t *>(interrupted);
  Registers registers;
  const bool whole = take(context, registers);
  constexpr uint64_t kAgain = 5'000'000;
  uint64_t delay = kAgain;
  if (whole) {
    delay = handler(registers);
    give_back(registers, context);
  }
  arm(*slot, delay);
}

void leave(void *argument) {
  auto *slot = static_cast<Slot *>(argument);
  if (slot->process == process_id()) syscall(SYS_timer_delete, slot->timer);
  if (slot->stack != nullptr) {
    stack_t now{};
    sigaltstack(nullptr, &now);
    if (now.ss_sp == slot->stack) {
      now.ss_flags = SS_DISABLE;
      sigaltstack(&now, nullptr);
    }
    unmap(slot->stack, kStackBytes);
    slot->stack = nullptr;
  }
  slot->taken.store(false, std::memory_order_release);
}

// Whether signals can be handled apart from the thread's own stack.
bool have_stack(Slot &slot) {
  stack_t stack{};
  if (sigaltstack(nullptr, &stack) != 0) return false;
  if ((stack.ss_flags & SS_DISABLE) == 0) return stack.ss_size >= kLeastStack;
  slot.stack = map(kStackBytes);
  if (slot.stack == nullptr) return false;
  stack.ss_sp = slot.stack;
  stack.ss_size = kStackBytes;
  stack.ss_flags = 0;
  return sigaltstack(&stack, nullptr) == 0;
}

bool have_timer(Slot &slot) {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = burst_signal();
  event.sigev_value.sival_ptr = &slot;
  slot.process = process_id();
  event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
  return syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &slot.timer) == 0;
}

} // namespace

const char *start_bursts(Burst burst) {
  if (has_shadow_stack()) return "the processor keeps a shadow stack";
  if (catches_faults()) return "the program catches faults";
  struct sigaction action = {};
  if (sigaction(burst_signal(), nullptr, &action) != 0 || action.sa_handler != SIG_DFL)
    return "its signal is taken";
  handler = burst;
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  if (sigaction(burst_signal(), &action, nullptr) != 0) return "its signal is taken";
  running.store(true, std::memory_order_release);
  return nullptr;
}

void join_bursts(uint64_t delay) {
  if (!running.load(std::memory_order_acquire)) return;
  const KeepErrno keep;
  for (Slot &slot : slots) {
    if (slot.taken.exchange(true, std::memory_order_acquire)) continue;
    if (have_stack(slot) && have_timer(slot) && call_at_thread_exit(leave, &slot)) arm(slot, delay);
    break; // with a slot that is lost where one of them failed
  }
}

void stop_bursts() { running.store(false, std::memory_order_release); }

const uint64_t *restartable_sequence() {
  if (__rseq_size == 0) return &kNoSequence;
  auto *area = static_cast<char *>(__builtin_thread_pointer()) + __rseq_offset;
  return reinterpret_cast<const uint64_t *>(&reinterpret_cast<struct rseq *>(area)->rseq_cs);
}

void *map_code(size_t bytes) {
  const KeepErrno keep;
  void *memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

} // namespace abut::os
