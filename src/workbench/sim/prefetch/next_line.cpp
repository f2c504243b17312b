// The lines that follow one that is new (tagged prefetch, Gindele 1977).
#include "sim/prefetch/prefetcher.hpp"

namespace abut::sim {
namespace {

class NextLine final : public Prefetcher {
public:
  explicit NextLine(const LevelSettings &level) : Prefetcher(level) {}

  void observe(uint64_t line, bool triggers, Targets &targets) override {
    if (triggers) run(line, 1, degree(), targets);
  }
};

} // namespace

std::unique_ptr<Prefetcher> make_next_line(const LevelSettings &level) {
  return std::make_unique<NextLine>(level);
}

std::unique_ptr<Prefetcher> make_prefetcher(const LevelSettings &level) {
  switch (level.prefetch) {
  case Prefetch::none: return nullptr;
  case Prefetch::next_line: return make_next_line(level);
  case Prefetch::stride: return make_stride(level);
  case Prefetch::stream: return make_stream(level);
  }
  return nullptr;
}

} // namespace abut::sim
