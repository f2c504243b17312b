#include "os/service_thread.hpp"

#include "os/plain_calls.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace abut::os {
namespace {

struct Start {
  void (*body)(void *);
  void *argument;
} start_of_thread;

void *run(void *) {
  pin_to_last_processor();
  start_of_thread.body(start_of_thread.argument);
  return nullptr;
}

// The last processor that the process may use; -1 where there is no choice.
int last_processor() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2) return -1;
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(last, &allowed)) --last;
  return last;
}

} // namespace

void pin_to_last_processor() {
  const int last = last_processor();
  if (last < 0) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  sched_setaffinity(0, sizeof one, &one);
}

bool has_one_processor() { return last_processor() < 0; }

bool start_service_thread(void (*body)(void *), void *argument) {
  start_of_thread = {body, argument};
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const bool started = pthread_create(&thread, nullptr, run, nullptr) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!started) return false;
  pthread_detach(thread);
  return true;
}

bool is_main_thread() { return getpid() == static_cast<pid_t>(syscall(SYS_gettid)); }

void exit_if_alone() {
  // The thread that the process began with stays as a zombie until the last one has ended, and counts.
  char text[512];
  const int file = plain_open("/proc/self/stat", O_RDONLY);
  if (file < 0) return;
  const ssize_t length = plain_read(file, text, sizeof text - 1);
  plain_close(file);
  text[length > 0 ? length : 0] = '\0';
  const char *after_name = std::strrchr(text, ')');
  char state = 0;
  int threads = 0;
  if (after_name == nullptr ||
      std::sscanf(after_name,
                  ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d", &state,
                  &threads) != 2)
    return;
  if (state != 'Z' || threads != 2) return;
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  std::exit(0);
}

void wait_while(std::atomic<uint32_t> &word, uint32_t expected, unsigned milliseconds) {
  const int saved = errno;
  const timespec time{milliseconds / 1000, static_cast<long>(milliseconds % 1000) * 1'000'000};
  syscall(SYS_futex, &word, FUTEX_WAIT, expected, milliseconds != 0 ? &time : nullptr, nullptr, 0);
  errno = saved;
}

void wake_waiter(std::atomic<uint32_t> &word) {
  const int saved = errno;
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  errno = saved;
}

} // namespace abut::os
