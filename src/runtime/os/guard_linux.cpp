#include "os/guard.hpp"

#include "os/keep_errno.hpp"
#include "os/plain_calls.hpp"

#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

namespace abut::os {
namespace {

void (*explain_fault)(Address, Address) = nullptr;
struct sigaction before;

// The access happens once more when this returns, and then means what it did before. A signal that was sent is sent again.
void on_fault(int signal, siginfo_t *info, void *context) {
  KeepErrno keep;
  sigaction(SIGSEGV, &before, nullptr);
  if (info->si_code <= 0) {
    syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), signal, info);
    return;
  }
  const auto *registers = static_cast<const ucontext_t *>(context)->uc_mcontext.gregs;
  explain_fault(reinterpret_cast<Address>(info->si_addr), static_cast<Address>(registers[REG_RIP]));
}

int protect(Address begin, size_t bytes, int access) {
  KeepErrno keep;
  return mprotect(reinterpret_cast<void *>(begin), bytes, access);
}

} // namespace

bool forbid_access(Address begin, size_t bytes) { return protect(begin, bytes, PROT_NONE) == 0; }

bool allow_access(Address begin, size_t bytes) {
  return protect(begin, bytes, PROT_READ | PROT_WRITE) == 0;
}

void call_at_fault(void (*explain)(Address, Address)) {
  explain_fault = explain;
  struct sigaction ours {};
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &ours, &before);
}

// vfork runs no handler of a fork, and copies nothing: this may be called in the midst of anything.
size_t output_of(const char *const *arguments, char *text, size_t most) {
  KeepErrno keep;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return 0;
  static const char *const no_variables[] = {nullptr};
  const pid_t child = vfork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    fcntl(STDOUT_FILENO, F_SETFD, 0); // where the program had closed it, the pipe is that already
    dup2(plain_open("/dev/null", O_WRONLY), STDERR_FILENO);
    execve(arguments[0], const_cast<char *const *>(arguments),
           const_cast<char *const *>(no_variables));
    _exit(127);
  }
  plain_close(ends[1]);
  size_t length = 0;
  while (child > 0 && length < most) {
    const ssize_t got = plain_read(ends[0], text + length, most - length);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    length += static_cast<size_t>(got);
    if (length < most) continue;
    constexpr char kCut[] = "...";
    const size_t half = most / 2, kept = most / 4;
    std::memcpy(text + half, kCut, sizeof kCut - 1);
    std::memmove(text + half + sizeof kCut - 1, text + most - kept, kept);
    length = half + sizeof kCut - 1 + kept;
  }
  plain_close(ends[0]);
  int status = 0;
  if (child > 0 && waitpid(child, &status, 0) == child && status != 0) length = 0;
  return length;
}

} // namespace abut::os
