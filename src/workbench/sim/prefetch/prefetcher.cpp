#include "sim/prefetch/prefetcher.hpp"

#include "sim/prefetch/stream.hpp"

namespace abut::sim {
namespace {

// The lines that follow one that is new (tagged prefetch, Gindele 1977).
class NextLine final : public Prefetcher {
public:
  explicit NextLine(const LevelSettings &level) : Prefetcher(level) {}

  void observe(uint64_t line, bool triggers, Targets &targets) override {
    if (triggers) run(line, 1, degree(), targets);
  }
};

// Equal steps within a page: after the same step came twice in a row, the lines that further steps lead to. Traces need not
// know which instruction made a reference, so a page takes the instruction's place.
class Stride final : public Prefetcher {
public:
  explicit Stride(const LevelSettings &level) : Prefetcher(level) {}

  void observe(uint64_t line, bool, Targets &targets) override {
    const uint64_t page = page_of(line);
    Track &track = tracks_[page % kTracks];
    if (track.page != page) {
      track = {page, line, 0};
      return;
    }
    const auto step = static_cast<int64_t>(line - track.line);
    if (step == 0) return;
    track.line = line;
    if (step != track.step) {
      track.step = step;
      return;
    }
    run(line, step, degree(), targets);
  }

private:
  static constexpr size_t kTracks = 64;
  struct Track {
    uint64_t page = ~uint64_t{0};
    uint64_t line = 0;
    int64_t step = 0;
  };

  std::array<Track, kTracks> tracks_;
};

constexpr uint32_t kTrainedSoon = 3; // lines of a stream, where nobody says how many

} // namespace

std::unique_ptr<Prefetcher> make_prefetcher(const LevelSettings &level) {
  switch (level.prefetch) {
  case Prefetch::none: return nullptr;
  case Prefetch::next_line: return std::make_unique<NextLine>(level);
  case Prefetch::stride: return std::make_unique<Stride>(level);
  case Prefetch::stream: return std::make_unique<Stream>(level, false, kTrainedSoon);
  }
  return nullptr;
}

} // namespace abut::sim
