#include "sim/prefetch/stream.hpp"

#include <algorithm>
#include <bit>

namespace abut::sim {

void Stream::observe(uint64_t line, bool triggers, Targets &targets) {
  if (!triggers) return;
  const size_t at = track_of(line);
  Track &track = tracks_.at(at);
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
  nexts_.set(at, mark_of(track.next()));
  if (track.length < kTrusted) return;
  // What was asked for already is not asked for again.
  const int64_t lead = static_cast<int64_t>(track.ahead - line) * direction;
  const uint64_t from = lead > 0 ? track.ahead : line;
  const auto known = static_cast<uint32_t>(std::clamp<int64_t>(lead, 0, degree()));
  run(from, direction, degree() - known, targets, crosses_);
  if (targets.count != 0) track.ahead = targets.lines[targets.count - 1];
}

// The page's track, or the first that the line continues, or the one that was used longest ago, begun again.
size_t Stream::track_of(uint64_t line) {
  const uint64_t page = page_of(line);
  size_t at = kTracks;
  for (uint32_t found = pages_.equal(mark_of(page)); found != 0 && at == kTracks;
       found &= found - 1)
    if (const auto one = static_cast<size_t>(std::countr_zero(found)); tracks_.at(one).page == page)
      at = one;
  if (at == kTracks && crosses_) at = continued_by(line);
  if (at == kTracks) {
    at = order_.oldest();
    tracks_.at(at) = {};
  }
  tracks_.at(at).page = page;
  pages_.set(at, mark_of(page));
  order_.use(at);
  return at;
}

// `kTracks` where there is none.
size_t Stream::continued_by(uint64_t line) const {
  for (uint32_t found = nexts_.equal(mark_of(line)); found != 0; found &= found - 1) {
    const auto one = static_cast<size_t>(std::countr_zero(found));
    if (tracks_.at(one).length != 0 && tracks_.at(one).next() == line) return one;
  }
  return kTracks;
}

std::unique_ptr<Prefetcher> make_stream(const LevelSettings &level, bool crosses) {
  return std::make_unique<Stream>(level, crosses);
}

} // namespace abut::sim
