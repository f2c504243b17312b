// Streams: new lines of a page that come in ascending or descending order, whatever lies between them. A stream that
// was seen three times keeps `degree` lines ahead of the program. One that crosses pages, as those of virtual addresses do,
// goes on in the page that it runs into.
#include "sim/prefetch/prefetcher.hpp"

#include <algorithm>

namespace abut::sim {
namespace {

class Stream final : public Prefetcher {
public:
  Stream(const LevelSettings &level, bool crosses) : Prefetcher(level), crosses_(crosses) {}

  void observe(uint64_t line, bool triggers, Targets &targets) override {
    if (!triggers) return;
    Track &track = track_of(line);
    if (line == track.line) return;
    if (track.line == kNone) {
      track.line = line;
      return;
    }
    const int direction = line > track.line ? 1 : -1;
    track.length = direction == track.direction ? track.length + 1 : 1;
    if (track.length == 1) track.ahead = line;
    track.direction = direction;
    track.line = line;
    if (track.length < kTrusted) return;
    // What was asked for already is not asked for again.
    const int64_t lead = static_cast<int64_t>(track.ahead - line) * direction;
    const uint64_t from = lead > 0 ? track.ahead : line;
    const auto known = static_cast<uint32_t>(std::clamp<int64_t>(lead, 0, degree()));
    run(from, direction, degree() - known, targets, crosses_);
    if (targets.count != 0) track.ahead = targets.lines[targets.count - 1];
  }

private:
  static constexpr size_t kTracks = 16;
  static constexpr uint32_t kTrusted = 2; // steps in one direction
  static constexpr uint64_t kNone = ~uint64_t{0};
  struct Track {
    uint64_t page = kNone;
    uint64_t line = kNone;
    uint64_t ahead = 0; // the last line that was asked for
    uint64_t used = 0;
    uint32_t length = 0;
    int direction = 0;
  };

  // The page's track, or the one that was used longest ago, begun again.
  Track &track_of(uint64_t line) {
    ++clock_;
    const uint64_t page = page_of(line);
    auto found = std::find_if(tracks_.begin(), tracks_.end(),
                              [page](const Track &track) { return track.page == page; });
    if (found == tracks_.end() && crosses_) {
      found = std::find_if(tracks_.begin(), tracks_.end(), [line](const Track &track) {
        return track.length != 0 && track.line + static_cast<uint64_t>(track.direction) == line;
      });
      if (found != tracks_.end()) found->page = page;
    }
    if (found == tracks_.end()) {
      found = std::min_element(tracks_.begin(), tracks_.end(),
                               [](const Track &a, const Track &b) { return a.used < b.used; });
      *found = {};
      found->page = page;
    }
    found->used = clock_;
    return *found;
  }

  bool crosses_;
  std::array<Track, kTracks> tracks_;
  uint64_t clock_ = 0;
};

} // namespace

std::unique_ptr<Prefetcher> make_stream(const LevelSettings &level, bool crosses) {
  return std::make_unique<Stream>(level, crosses);
}

} // namespace abut::sim
