// Figures of the table of containers: how they are taken, and how they are printed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string_view>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vector>

namespace bench {

inline std::uint64_t result = 0; // used, so that nothing is left out
inline std::string_view only;    // part of the names of the containers that are measured
inline bool markdown = false;
inline std::uint64_t runs = 1; // of each row

inline void head(std::initializer_list<const char *> columns) {
  std::printf(markdown ? "\n| |" : "%-26s", "");
  for (const char *column : columns) std::printf(markdown ? " %s |" : " %8s", column);
  std::printf(markdown ? " %s |" : " %8s", "within");
  if (markdown) std::printf("\n|---|---|");
  for (std::size_t i = 0; markdown && i < columns.size(); ++i) std::printf("---|");
  std::printf("\n");
}
inline void row(const char *name, std::size_t elements, const std::vector<double> &figures,
                double spread) {
  std::printf(markdown ? "| `%s` | %zu |" : "%-26s %8zu", name, elements);
  for (const double figure : figures) {
    const int digits = figure < 10 ? 2 : 1;
    if (figure > 0)
      std::printf(markdown ? " %.*f |" : " %8.*f", digits, figure);
    else
      std::printf(markdown ? " |" : "         ");
  }
  std::printf(markdown ? " %.0f %% |\n" : " %6.0f %%\n", 100 * spread);
}

// The figures that a process of its own finds: none finds the heap as another left it.
template <typename Action>
std::vector<double> apart(const char *name, Action action) {
  int ends[2]; // NOLINT(modernize-avoid-c-arrays): what pipe takes
  if (pipe(ends) != 0) std::abort();
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const std::vector<double> found = action();
    const std::size_t bytes = found.size() * sizeof(double);
    const bool written = write(ends[1], found.data(), bytes) == static_cast<ssize_t>(bytes);
    _exit(written && result != 1 ? 0 : 1); // never 1: the sums are used
  }
  std::vector<double> figures(32);
  close(ends[1]);
  const ssize_t got = read(ends[0], figures.data(), figures.size() * sizeof(double));
  close(ends[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0 || got <= 0) {
    std::fprintf(stderr, "%s could not be measured\n", name);
    std::exit(1);
  }
  figures.resize(static_cast<std::size_t>(got) / sizeof(double));
  return figures;
}

// A row of medians of some runs, and by what part of the median the furthest figure of a run is off at most.
template <typename Action>
void measure(const char *name, std::size_t elements, Action action) {
  if (std::string_view(name).find(only) == std::string_view::npos) return;
  std::vector<std::vector<double>> found;
  for (std::uint64_t run = 0; run < runs; ++run) found.push_back(apart(name, action));
  std::vector<double> medians;
  double spread = 0;
  for (std::size_t i = 0; i < found[0].size(); ++i) {
    std::vector<double> figure;
    figure.reserve(found.size());
    for (const std::vector<double> &run : found) figure.push_back(run[i]);
    std::sort(figure.begin(), figure.end());
    const double median = medians.emplace_back(figure[figure.size() / 2]);
    if (median > 0) spread = std::max({spread, 1 - figure[0] / median, figure.back() / median - 1});
  }
  row(name, elements, medians, spread);
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
