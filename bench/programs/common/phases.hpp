// Phase times for a reader who asks (`--times`), to standard error only: standard output must be
// the same in every run.
#pragma once

#include <chrono>
#include <cstdio>

namespace bench {

class Phases {
public:
  explicit Phases(const bool &wanted) : wanted_(wanted) {}
  ~Phases() { end(); }
  Phases(const Phases &) = delete;
  Phases &operator=(const Phases &) = delete;

  void begin(const char *name) {
    end();
    name_ = name;
    started_ = Clock::now();
  }

  void end() {
    if (wanted_ && name_ != nullptr) {
      const std::chrono::duration<double> seconds = Clock::now() - started_;
      std::fprintf(stderr, "%-10s %8.3f s\n", name_, seconds.count());
    }
    name_ = nullptr;
  }

private:
  using Clock = std::chrono::steady_clock;
  const bool &wanted_;
  const char *name_ = nullptr;
  Clock::time_point started_;
};

} // namespace bench
