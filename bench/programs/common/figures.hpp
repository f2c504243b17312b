// Figures of the table of containers: how they are taken, and how they are printed.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string_view>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace bench {

inline std::uint64_t result = 0; // used, so that nothing is left out
inline std::string_view only;    // part of the names of the containers that are measured
inline bool markdown = false;

inline void head(std::initializer_list<const char *> columns) {
  std::printf(markdown ? "\n| |" : "%-26s", "");
  for (const char *column : columns) std::printf(markdown ? " %s |" : " %8s", column);
  if (markdown) std::printf("\n|---|");
  for (std::size_t i = 0; markdown && i < columns.size(); ++i) std::printf("---|");
  std::printf("\n");
}
inline void row(const char *name, std::size_t elements, std::initializer_list<double> figures) {
  std::printf(markdown ? "| `%s` | %zu |" : "%-26s %8zu", name, elements);
  for (const double figure : figures) {
    const int digits = figure < 10 ? 2 : 1;
    if (figure > 0)
      std::printf(markdown ? " %.*f |" : " %8.*f", digits, figure);
    else
      std::printf(markdown ? " |" : "         ");
  }
  std::printf("\n");
}

// Measures a row in a process of its own: none finds the heap as another left it.
template <typename Action>
void measure(const char *name, Action action) {
  if (std::string_view(name).find(only) == std::string_view::npos) return;
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    action();
    std::fflush(stdout);
    _exit(result == 1 ? 1 : 0); // never 1: the sums are used
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
    std::fprintf(stderr, "%s could not be measured\n", name);
    std::exit(1);
  }
}

// Of what takes long, the thread's own time: what else the machine does costs it caches, but no time of waiting. That
// clock takes too long for what is short.
inline double now(bool is_long) {
  timespec time{};
  clock_gettime(is_long ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}
template <typename Action>
double nanoseconds(std::size_t count, Action action) {
  const bool is_long = count >= 10'000;
  const double begin = now(is_long);
  action();
  return (now(is_long) - begin) / static_cast<double>(count);
}
// What blocks take while somebody counts, with the word before each.
inline bool counts = false;
inline std::size_t counted = 0;

template <typename Action>
double bytes_for(std::size_t elements, Action action) {
  counted = 0;
  counts = true;
  action();
  counts = false;
  return static_cast<double>(counted) / static_cast<double>(elements);
}

} // namespace bench
