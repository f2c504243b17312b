// Containers whose nodes move beside those whose nodes do not: what the measuring program's files share.
#pragma once

#include "common/checksum.hpp"
#include "common/random.hpp"

#include <ctime>
#include <string_view>

#if __has_include(<boost/container/map.hpp>)
#define BENCH_HAS_BOOST
#endif

namespace bench {

struct ContainerSettings {
  std::string_view what = "map";
  std::string_view whose = "abut";
  std::uint64_t elements = 1'000'000;
  std::uint64_t length = 2000; // of a list
  std::uint64_t passes = 10;
  std::uint64_t lookups = 2'000'000;
  std::uint64_t seed = 1;
  bool huge = false;
};

inline double now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Runs `work` and gives its processor time, in nanoseconds for each of `count`.
template <typename Work>
double ns_each(std::uint64_t count, Work work) {
  const double begun = now();
  work();
  return (now() - begun) * 1e9 / static_cast<double>(count);
}

// Measures a map, a set or an unordered map.
void run_keyed(const ContainerSettings &settings, Checksum &sum);

} // namespace bench
