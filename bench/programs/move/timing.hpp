// Times of many operations in batches: the mean of the last tenth, and the slowest batch of it (Adcock 2009, 3.3.4).
// Time is the processor time of this thread, so that what else runs on the machine is not counted as an operation's.
// Where layouts degrade slowly, a sample of each tenth is timed, and passes, which are rare, on their own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <vector>

namespace bench {

class Batches {
public:
  explicit Batches(std::uint64_t operations, std::uint64_t batch) : batch_(batch) {
    seconds_.reserve(operations / batch + 1);
  }

  // Runs `operation` so many times, timing each batch.
  template <typename Operation>
  void run(std::uint64_t operations, Operation operation) {
    for (std::uint64_t done = 0; done < operations; done += batch_) {
      const std::uint64_t now = std::min(batch_, operations - done);
      passes_ = 0;
      const double begun = seconds();
      for (std::uint64_t i = 0; i < now; ++i) operation();
      seconds_.push_back((seconds() - begun - passes_) * static_cast<double>(batch_) /
                         static_cast<double>(now));
    }
  }

  // What a mover does at once between operations, each `period` of them; it is part of no batch.
  template <typename Pass>
  void pass(std::uint64_t period, Pass pass) {
    const double begun = seconds();
    pass();
    const double taken = seconds() - begun;
    passes_ += taken;
    longest_pass_ = std::max(longest_pass_, taken);
    pass_ns_ = taken / static_cast<double>(period) * 1e9;
  }

  // Nanoseconds an operation: over the first tenth of the batches, and the last; with its share of a pass.
  double first_ns() const { return mean_ns(0, tenth()); }
  double last_ns() const { return mean_ns(seconds_.size() - tenth(), seconds_.size()); }
  // Of the last tenth, the batch's median and the time that one batch in a hundred exceeds, and the longest, in ms.
  double median_ms() const { return quantile_ms(0.5); }
  double slow_ms() const { return quantile_ms(0.99); }
  double worst_ms() const { return quantile_ms(1.0) + longest_pass_ * 1e3; }
  // All of it as members of a JSON object. The course is ten means in nanoseconds, a tenth of the run each: how the layout
  // degrades.
  void print_figures() const {
    std::printf("\"first_ns\": %.2f, \"last_ns\": %.2f, \"median_ms\": %.4f, \"slow_ms\": %.4f, "
                "\"worst_ms\": %.4f, \"course_ns\": [",
                first_ns(), last_ns(), median_ms(), slow_ms(), worst_ms());
    for (std::size_t i = 0; i < 10; ++i) {
      const std::size_t from = seconds_.size() * i / 10;
      const std::size_t to = std::max(seconds_.size() * (i + 1) / 10, from + 1);
      std::printf("%s%.1f", i == 0 ? "" : ", ", mean_ns(from, std::min(to, seconds_.size())));
    }
    std::printf("]");
  }

private:
  static double seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  }

  std::size_t tenth() const { return std::max<std::size_t>(seconds_.size() / 10, 1); }
  double mean_ns(std::size_t from, std::size_t to) const {
    double sum = 0;
    for (std::size_t i = from; i < to; ++i) sum += seconds_[i];
    if (to <= from) return 0;
    return sum / static_cast<double>(to - from) / static_cast<double>(batch_) * 1e9 + pass_ns_;
  }
  double quantile_ms(double share) const {
    std::vector<double> last(seconds_.end() - static_cast<std::ptrdiff_t>(tenth()), seconds_.end());
    std::sort(last.begin(), last.end());
    const auto index = static_cast<std::size_t>(share * static_cast<double>(last.size() - 1));
    return last.empty() ? 0 : last[index] * 1e3;
  }

  std::uint64_t batch_;
  std::vector<double> seconds_;
  double passes_ = 0; // during the batch that is timed
  double longest_pass_ = 0;
  double pass_ns_ = 0; // of the last one, for each operation
};

// How a run is parted: tenths, of each slices, at the end of each some operations that are timed.
struct Sampling {
  std::uint64_t operations = 0; // in all
  std::uint64_t sample = 0;     // timed in each tenth; 0: all are
  std::uint64_t slices = 1;     // of a tenth

  std::uint64_t slice() const { return operations / 10 / slices; }
  std::uint64_t timed() const { return sample == 0 ? slice() : std::min(slice(), sample / slices); }

  // Runs each slice of the tenths from one to another.
  template <typename Hasten, typename Time>
  void run(std::uint64_t from, std::uint64_t to, Hasten hasten, Time time) const {
    for (std::uint64_t i = from * slices; i < to * slices; ++i) {
      hasten(slice() - timed());
      time(timed());
    }
  }
};

} // namespace bench
