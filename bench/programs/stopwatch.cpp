// How long a program takes: `stopwatch program args...` runs it, its output thrown away, and prints the seconds that have
// passed, and its own of the processors. Linked statically, so that no heap and no recorder comes between.
#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

double seconds(const timeval &time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

} // namespace

int main(int count, char **arguments) {
  if (count < 2) {
    std::fputs("usage: stopwatch program args...\n", stderr);
    return 2;
  }
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    execvp(arguments[1], arguments + 1);
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
    std::perror("stopwatch");
    return 2;
  }
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  std::fprintf(stderr, "%.6f %.6f %.6f\n", passed.count(), seconds(usage.ru_utime),
               seconds(usage.ru_stime));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
