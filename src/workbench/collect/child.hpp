// The program that is recorded, as a child process: its start, its end, and the signals that are meant for it.
#pragma once

#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace abut::record {

class Child {
public:
  // Variables of the environment that the child gets beside the caller's.
  using Variables = std::vector<std::pair<std::string, std::string>>;

  // Makes the process, which waits for `start`, and ends where there is none. Throws std::system_error.
  Child(const std::vector<std::string> &command, const Variables &variables);
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;
  ~Child();

  void start();

  pid_t pid() const { return pid_; }
  // Waits for its end. While it runs, signals that are sent to this process are sent on to it.
  int wait();

private:
  pid_t pid_ = -1;
  int gate_ = -1;
};

// Whether the user has interrupted this process since the child ended, which is heeded once; the next time, it ends.
bool is_interrupted();

// Ends this process as the child ended: with its exit code, or by the signal that ended it.
[[noreturn]] void end_like(int status);

} // namespace abut::record
