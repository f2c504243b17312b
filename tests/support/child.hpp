// Runs a function in a forked child and says how that ended: for tests of aborts, limits, and fork
// itself.
#pragma once

#include <functional>
#include <string>

namespace support {

struct Outcome {
  int status = 0;    // as waitpid gives it
  std::string error; // what the child wrote to stderr

  [[nodiscard]] bool succeeded() const { return status == 0; }
  [[nodiscard]] bool killed_by(int signal) const;
  [[nodiscard]] std::string text() const; // for a failure message
};

// `body` runs in a child process; returning from it is success. A child that hangs is killed
// (SIGALRM) after `seconds`, which is only ever a bound on a deadlock.
Outcome in_child(const std::function<void()> &body, unsigned seconds = 240);

// In a child: end it with a message unless `fact` holds. Does not allocate.
void require(bool fact, const char *claim);

} // namespace support
