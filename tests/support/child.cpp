#include "support/child.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace support {
namespace {

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> chunk{};
  for (;;) {
    const ssize_t got = read(descriptor, chunk.data(), chunk.size());
    if (got > 0)
      text.append(chunk.data(), static_cast<std::size_t>(got));
    else if (got == 0 || errno != EINTR)
      return text;
  }
}

[[noreturn]] void be_the_child(int error_pipe, const std::function<void()> &body,
                               unsigned seconds) {
  dup2(error_pipe, STDERR_FILENO);
  close(error_pipe);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  signal(SIGALRM, SIG_DFL);
  alarm(seconds);
  body();
  _exit(0);
}

} // namespace

bool Outcome::killed_by(int signal) const {
  return WIFSIGNALED(status) && WTERMSIG(status) == signal;
}

std::string Outcome::text() const {
  std::string how = "exit code " + std::to_string(WEXITSTATUS(status));
  if (WIFSIGNALED(status))
    how = "signal " + std::to_string(WTERMSIG(status)) +
          (WTERMSIG(status) == SIGALRM ? " (it hung)" : "");
  return how + "; stderr: " + (error.empty() ? "(empty)" : error);
}

Outcome in_child(const std::function<void()> &body, unsigned seconds) {
  std::array<int, 2> error_pipe{};
  if (pipe(error_pipe.data()) != 0) return {.status = -1, .error = "pipe failed"};
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return {.status = -1, .error = "fork failed"};
  if (child == 0) {
    close(error_pipe[0]);
    be_the_child(error_pipe[1], body, seconds);
  }
  close(error_pipe[1]);
  Outcome outcome;
  outcome.error = read_all(error_pipe[0]);
  close(error_pipe[0]);
  while (waitpid(child, &outcome.status, 0) < 0 && errno == EINTR) {
  }
  return outcome;
}

void require(bool fact, const char *claim) {
  if (fact) return;
  const char *lead = "not so: ";
  [[maybe_unused]] ssize_t ignored = write(STDERR_FILENO, lead, std::strlen(lead));
  ignored = write(STDERR_FILENO, claim, std::strlen(claim));
  ignored = write(STDERR_FILENO, "\n", 1);
  _exit(1);
}

} // namespace support
