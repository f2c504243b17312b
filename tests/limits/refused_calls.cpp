#include "limits/refused_calls.hpp"

#include <cstddef>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace limits {

namespace {

bool filter_calls(std::initializer_list<long> calls, unsigned action) {
  constexpr unsigned kMost = 64;
  sock_filter program[kMost];
  unsigned length = 0;
  program[length++] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
  for (const long call : calls) {
    if (length + 3 > kMost) return false;
    program[length++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1);
    program[length++] = BPF_STMT(BPF_RET | BPF_K, action);
  }
  program[length++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  sock_fprog filter = {static_cast<unsigned short>(length), program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
}

} // namespace

bool refuse(std::initializer_list<long> calls, int error) {
  return filter_calls(calls, SECCOMP_RET_ERRNO | (static_cast<unsigned>(error) & SECCOMP_RET_DATA));
}

bool forbid(std::initializer_list<long> calls) {
  return filter_calls(calls, SECCOMP_RET_KILL_PROCESS);
}

} // namespace limits
