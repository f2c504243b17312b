// Equal steps within a page: after the same step came twice in a row, the lines that further steps lead to.
//
// Traces need not know which instruction made a reference, so a page takes the instruction's place.
#include "sim/prefetch/prefetcher.hpp"

namespace abut::sim {
namespace {

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

} // namespace

std::unique_ptr<Prefetcher> make_stride(const LevelSettings &level) {
  return std::make_unique<Stride>(level);
}

} // namespace abut::sim
