// How many references a second the one-pass curves take in, on one core: exact reuse distances, a sample of 1 % of the
// lines (SHARDS), one of at most 8192 lines, and pages with their reduction. The references are made up: half of them to
// nodes of which few are used often, half of them sweeps, as programs mix them.
#include "sim/pages/page_curve.hpp"
#include "sim/pages/page_model.hpp"
#include "sim/reuse/reuse.hpp"
#include "sim/reuse/sampled_reuse.hpp"

#include "common/random.hpp"
#include "common/rates.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <vector>

namespace {

using namespace abut::sim;

constexpr size_t kCount = 8'000'000;
constexpr uint64_t kNodes = 500'000;
constexpr int kRounds = 5;

struct Run {
  std::vector<uint64_t> addresses;
  std::vector<uint32_t> sizes;
  std::vector<Kind> kinds;
  References references() const { return {addresses, sizes, kinds, {}, {}}; }
};

Run made_up_run() {
  bench::Random random(1);
  Run run;
  while (run.addresses.size() < kCount) {
    const double draw = static_cast<double>(random.below(1 << 20)) / (1 << 20);
    const auto node = static_cast<uint64_t>(std::pow(draw, 3) * kNodes);
    for (const uint64_t field : {0, 8, 40}) run.addresses.push_back(0x10000000 + node * 48 + field);
    const uint64_t array = 0x90000000 + (run.addresses.size() % 1'000'000) * 8;
    for (uint64_t i = 0; i < 3; ++i) run.addresses.push_back(array + i * 8);
  }
  run.sizes.assign(run.addresses.size(), 8);
  for (size_t i = 0; i < run.addresses.size(); ++i)
    run.kinds.push_back(i % 16 == 0 ? kAllocator : 0);
  return run;
}

// The processor's time, so that others who use it do not count.
double now() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Some rounds, each of a fresh simulator.
template <typename Make, typename Finish>
void measure(const char *name, const Run &run, Make make, Finish finish) {
  bench::Rates rates;
  uint64_t sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    auto simulator = make();
    const double begin = now();
    simulator.take(run.references());
    sum += finish(simulator);
    rates.add(static_cast<double>(run.addresses.size()), now() - begin);
  }
  std::printf("%-34s %s; checksum %llx\n", name, rates.text("references").c_str(),
              static_cast<unsigned long long>(sum));
}

uint64_t ratio_of(const SampledReuse &sampled) {
  return static_cast<uint64_t>(sampled.miss_ratio(SampledReuse::kBothSides, 1000).ratio * 1e9);
}

} // namespace

int main() { // NOLINT(bugprone-exception-escape): an exception ends a benchmark with its message
  const Run run = made_up_run();
  const BlockShift line{6};
  measure(
      "reuse distances, exact", run, [&] { return ReuseDistances(line); },
      [](const ReuseDistances &exact) { return exact.distances(0).size(); });
  measure(
      "reuse distances, 1 % of the lines", run, [&] { return SampledReuse(line, 0.01); }, ratio_of);
  measure(
      "reuse distances, 8192 lines", run, [&] { return SampledReuse(line, 1, 8192); }, ratio_of);
  measure(
      "pages, every memory from 256 KiB", run, [] { return PageModel(); },
      [](const PageModel &model) {
        return page_curve(model.reduction().steps(), model.pages(), {}).frames[0].size();
      });
  return 0;
}
