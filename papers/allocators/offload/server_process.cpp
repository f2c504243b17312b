#include "allocators/offload/server_process.hpp"

#include "os/keep_errno.hpp"
#include "os/plain_calls.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace abut::offload {
namespace {

constexpr int kHighDescriptor = 900;
constexpr int kLifeline = 0; // what the server has where others have their input

void (*on_left_alone)() = nullptr;

// The last processor that the process may use; -1 where there is no choice.
int last_processor() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2) return -1;
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(last, &allowed)) --last;
  return last;
}

void pin_to_last_processor() {
  const int last = last_processor();
  if (last < 0) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  sched_setaffinity(0, sizeof one, &one);
}

// A pipe whose other end is gone, or a process that has ended.
bool has_ended(int descriptor) {
  pollfd one = {descriptor, POLLIN, 0};
  return syscall(SYS_poll, &one, 1, 0) > 0;
}

void hear_of_the_end(int) { on_left_alone(); }

// The program's files go, but for `kept`.
void close_others(int lifeline, int kept) {
  dup2(lifeline, kLifeline);
  if (kept > 1) syscall(SYS_close_range, 1U, static_cast<unsigned>(kept) - 1, 0);
  syscall(SYS_close_range, kept > 0 ? static_cast<unsigned>(kept) + 1 : 1U, ~0U, 0);
}

// The kernel sends SIGIO when the pipe's other end is closed everywhere.
void watch_lifeline() {
  struct sigaction action = {};
  action.sa_handler = hear_of_the_end;
  sigaction(SIGIO, &action, nullptr);
  fcntl(kLifeline, F_SETOWN, getpid());
  fcntl(kLifeline, F_SETFL, O_ASYNC | O_NONBLOCK);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGIO);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  if (has_ended(kLifeline)) on_left_alone();
}

} // namespace

bool start_server_process(void (*body)(void *), void *argument, void (*left_alone)(), int kept,
                          std::atomic<uint32_t> &process) {
  const os::KeepErrno keep;
  int ends[2];
  process.store(0, std::memory_order_relaxed);
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  if (const int high = fcntl(ends[1], F_DUPFD_CLOEXEC, kHighDescriptor); high >= 0) {
    os::plain_close(ends[1]);
    ends[1] = high;
  }
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  on_left_alone = left_alone;
  const pid_t between = _Fork(); // without the handlers of forks: nothing here allocates
  if (between == 0) {
    const pid_t server = _Fork();
    if (server != 0) {
      process.store(server > 0 ? static_cast<uint32_t>(server) : 0, std::memory_order_release);
      _exit(0);
    }
    close_others(ends[0], kept);
    prctl(PR_SET_NAME, "abut-offload");
    if (chdir("/") != 0) _exit(1);
    pin_to_last_processor();
    watch_lifeline();
    body(argument);
    _exit(0);
  }
  os::plain_close(ends[0]);
  while (between > 0 && syscall(SYS_wait4, between, nullptr, 0, nullptr) < 0 && errno == EINTR) {
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (process.load(std::memory_order_acquire) != 0) return true;
  os::plain_close(ends[1]);
  return false;
}

bool is_running(uint32_t process) {
  const os::KeepErrno keep;
  bool runs = kill(static_cast<pid_t>(process), 0) == 0 || errno != ESRCH;
  // A process that was not waited for yet has a number, but has ended.
  if (const long watch = syscall(SYS_pidfd_open, process, 0); runs && watch >= 0) {
    runs = !has_ended(static_cast<int>(watch));
    os::plain_close(static_cast<int>(watch));
  }
  return runs;
}

void leave_process() { _exit(0); }

bool has_one_processor() { return last_processor() < 0; }

void wait_while(std::atomic<uint32_t> &word, uint32_t expected) {
  const os::KeepErrno keep;
  syscall(SYS_futex, &word, FUTEX_WAIT, expected, nullptr, nullptr, 0);
}

void wake_waiter(std::atomic<uint32_t> &word) {
  const os::KeepErrno keep;
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

} // namespace abut::offload
