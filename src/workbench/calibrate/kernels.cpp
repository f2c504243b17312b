#include "calibrate/kernels.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <new>
#include <numeric>
#include <random>
#include <sys/mman.h>
#include <vector>

namespace abut::calibrate {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kLine = 64;
constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kSteps = 1 << 18; // a round, at least once around
constexpr int kRounds = 5;         // the quickest counts: the others were disturbed

// Pages of the size that was asked for, as far as the kernel grants it.
class Memory {
public:
  Memory(size_t bytes, bool huge_pages) : bytes_(bytes + kHugePage) {
    void *const at =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    all_ = static_cast<char *>(at);
    madvise(all_, bytes_, huge_pages ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    const size_t past = reinterpret_cast<uintptr_t>(all_) % kHugePage;
    begin_ = all_ + (kHugePage - past) % kHugePage;
  }
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  ~Memory() { munmap(all_, bytes_); }
  char *begin() const { return begin_; }

private:
  size_t bytes_;
  char *all_;
  char *begin_;
};

// The shortest of some rounds, each of which is prepared out of the count.
template <typename Work, typename Prepare>
double nanoseconds(const Work &work, const Prepare &prepare) {
  using Clock = std::chrono::steady_clock;
  double best = 1e18;
  for (int round = 0; round < kRounds; ++round) {
    prepare();
    const auto from = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - from).count());
  }
  return best;
}

// Out of every cache: a chain need not be longer than the last level, which may be larger than memory that a guest can spare.
template <typename Place>
void evict_all(size_t lines, const Place &place) {
  for (size_t line = 0; line < lines; ++line) __builtin_ia32_clflush(place(line));
  __builtin_ia32_mfence(); // until all are out
}

void shuffle_runs(std::vector<size_t> &lines) {
  std::vector<size_t> runs(lines.size() / kRun);
  std::iota(runs.begin(), runs.end(), size_t{0});
  std::shuffle(runs.begin(), runs.end(), std::mt19937_64(1));
  for (size_t i = 0; i < runs.size() * kRun; ++i) lines[i] = runs[i / kRun] * kRun + i % kRun;
}

// The lines in the order of the walk.
std::vector<size_t> walk_of(const Chase &chase) {
  std::vector<size_t> lines(chase.lines);
  std::iota(lines.begin(), lines.end(), size_t{0});
  constexpr size_t kLinesInPage = kPage / kLine;
  if (chase.order == Order::random) std::shuffle(lines.begin(), lines.end(), std::mt19937_64(1));
  if (chase.order == Order::runs) shuffle_runs(lines);
  if (chase.order == Order::rotated)
    for (size_t page = 0; page + kLinesInPage <= lines.size(); page += kLinesInPage) {
      const auto first = lines.begin() + static_cast<ptrdiff_t>(page);
      std::rotate(first, first + static_cast<ptrdiff_t>(page / kLinesInPage * 7 % kLinesInPage),
                  first + kLinesInPage);
    }
  return lines;
}

void *follow(void **from, size_t steps) {
  void *at = from;
  for (size_t i = 0; i < steps; ++i) at = *static_cast<void **>(at);
  return at;
}

void keep(const void *value) { asm volatile("" : : "r"(value) : "memory"); }

void follow_all(std::array<void *, kMostChains> heads, unsigned chains, size_t steps) {
  for (size_t i = 0; i < steps; ++i)
    for (unsigned chain = 0; chain < chains; ++chain)
      heads[chain] = *static_cast<void **>(heads[chain]);
  for (void *const head : heads) keep(head);
}

} // namespace

double gigahertz() {
  constexpr size_t kAdditions = 1 << 22;
  const auto add = [] {
    uint64_t sum = 1;
    for (size_t i = 0; i < kAdditions; i += 8) {
      for (int j = 0; j < 8; ++j) {
        sum += i;
        asm volatile("" : "+r"(sum));
      }
    }
  };
  return kAdditions / nanoseconds(add, [] {});
}

double cycles_of(const Chase &chase, double gigahertz) {
  const std::vector<size_t> walk = walk_of(chase);
  const Memory memory(chase.lines * chase.line_step + kPage, chase.huge_pages);
  const auto place = [&](size_t line) {
    const size_t turned = chase.line_step % kPage == 0 ? line * kLine % kPage : 0;
    return static_cast<void *>(memory.begin() + line * chase.line_step + turned);
  };
  for (size_t i = 0; i < walk.size(); ++i)
    *static_cast<void **>(place(walk[i])) = place(walk[(i + 1) % walk.size()]);
  const size_t steps = chase.evicted ? chase.lines : std::max(kSteps, chase.lines);
  std::array<void *, kMostChains> heads{};
  for (unsigned chain = 0; chain < chase.chains; ++chain)
    heads.at(chain) = place(walk[chain * walk.size() / chase.chains]);
  keep(follow(static_cast<void **>(heads[0]), chase.lines));
  const auto run = [&] {
    if (chase.chains == 1)
      keep(follow(static_cast<void **>(heads[0]), steps));
    else
      follow_all(heads, chase.chains, steps / chase.chains);
  };
  const double time = nanoseconds(run, [&] {
    if (chase.evicted) evict_all(chase.lines, place);
  });
  return time * gigahertz / static_cast<double>(steps);
}

double cycles_of_reading(size_t bytes, double gigahertz) {
  const Memory memory(bytes, true);
  auto *const words = reinterpret_cast<uint64_t *>(memory.begin());
  const size_t count = bytes / sizeof(uint64_t);
  std::fill_n(words, count, uint64_t{1});
  const auto read = [&] {
    std::array<uint64_t, 4> sums{};
    for (size_t i = 0; i < count; i += 8)
      for (size_t j = 0; j < 8; ++j) sums[j % 4] += words[i + j];
    keep(reinterpret_cast<void *>(sums[0] + sums[1] + sums[2] + sums[3]));
  };
  const auto line = [&](size_t i) { return static_cast<void *>(memory.begin() + i * kLine); };
  const double time = nanoseconds(read, [&] { evict_all(bytes / kLine, line); });
  return time * gigahertz / (static_cast<double>(bytes) / kLine);
}

} // namespace abut::calibrate
