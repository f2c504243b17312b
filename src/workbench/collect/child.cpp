#include "collect/child.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace abut::record {

namespace {

// What a terminal sends goes to the child, too; so only what a process sends is sent on.
constexpr int kForwarded[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,
                              SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH};

volatile sig_atomic_t child_to_signal = 0;
volatile sig_atomic_t interrupted = 0;

void forward(int number, siginfo_t *info, void *) {
  const int before = errno;
  if (child_to_signal > 0 && info->si_code <= 0 && info->si_pid != child_to_signal)
    kill(child_to_signal, number);
  if (child_to_signal == 0 && number == SIGINT) {
    interrupted = 1;
    signal(SIGINT, SIG_DFL);
  }
  errno = before;
}

void handle_signals(sigset_t &blocked, struct sigaction *before) {
  sigemptyset(&blocked);
  for (const int number : kForwarded) sigaddset(&blocked, number);
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  for (const int number : kForwarded) {
    struct sigaction action {};
    action.sa_sigaction = forward;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigfillset(&action.sa_mask);
    sigaction(number, &action, before++);
  }
}

void restore_signals(const sigset_t &mask, const struct sigaction *before) {
  for (const int number : kForwarded) sigaction(number, before++, nullptr);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

[[noreturn]] void become(const std::vector<std::string> &command,
                         const Child::Variables &variables) {
  for (const auto &[name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char *> words;
  words.reserve(command.size() + 1);
  for (const std::string &word : command) words.push_back(const_cast<char *>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  std::fprintf(stderr, "abut: %s: %s\n", words[0], std::strerror(errno));
  _exit(errno == ENOENT ? 127 : 126);
}

} // namespace

Child::Child(const std::vector<std::string> &command, const Variables &variables) {
  sigset_t blocked;
  sigset_t mask;
  struct sigaction before[std::size(kForwarded)];
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  handle_signals(blocked, before);
  int gate[2];
  if (pipe2(gate, O_CLOEXEC) != 0 || (pid_ = fork()) < 0)
    throw std::system_error(errno, std::generic_category(), "a new process");
  if (pid_ == 0) {
    char go = 0;
    close(gate[1]);
    if (read(gate[0], &go, 1) != 1) _exit(0);
    restore_signals(mask, before);
    become(command, variables);
  }
  close(gate[0]);
  gate_ = gate[1];
  child_to_signal = pid_;
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

Child::~Child() {
  if (gate_ >= 0) close(gate_);
}

void Child::start() {
  if (write(gate_, "", 1) != 1) throw std::system_error(errno, std::generic_category(), "start");
}

int Child::wait() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  child_to_signal = 0;
  signal(SIGTERM, SIG_DFL); // there is no one else left to end
  return status;
}

bool is_interrupted() { return interrupted != 0; }

void end_like(int status) {
  std::fflush(nullptr);
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    const rlimit none{0, 0}; // the program has left its core file already
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE, 0);
    signal(number, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    sigprocmask(SIG_UNBLOCK, &only, nullptr);
    raise(number);
    _exit(128 + number);
  }
  _exit(WEXITSTATUS(status));
}

} // namespace abut::record
