#include "sim/prefetch/stream.hpp"

#include <bit>

namespace abut::sim {
namespace {

constexpr unsigned kLinesInRegion = 64;

} // namespace

void Stream::observe(uint64_t line, bool triggers, Targets &targets) {
  if (!triggers) return;
  Track &track = track_of(line);
  const unsigned at = line % kLinesInRegion;
  const uint64_t bit = uint64_t{1} << at;
  // It was here, and has left the cache since: what was touched is of another time.
  if ((track.touched.here & bit) != 0) track = {track.region, {}, {}};
  track.touched.here |= bit;
  const uint64_t before = track.touched_before(at);
  const uint64_t after = track.touched_after(at);
  if (!is_trained(before) && !is_trained(after)) return;
  if (std::popcount(before) >= std::popcount(after))
    ask_after(line, track, targets);
  else
    ask_before(line, track, targets);
}

// Whether these lines, a bit each, and one more are enough. Mostly they are few, which is known sooner than their number.
inline bool Stream::is_trained(uint64_t others) const {
  uint32_t missing = trained_ - 1;
  for (; missing > 0 && others != 0; --missing) others &= others - 1;
  return missing == 0;
}

Stream::Track Stream::Track::moved_up() const {
  const auto moved = [](const Lines &lines) { return Lines{lines.here, lines.above, 0}; };
  return {region + 1, moved(touched), moved(asked)};
}

Stream::Track Stream::Track::moved_down() const {
  const auto moved = [](const Lines &lines) { return Lines{0, lines.below, lines.here}; };
  return {region - 1, moved(touched), moved(asked)};
}

Stream::Track &Stream::track_of(uint64_t line) {
  const uint64_t region = line / kLinesInRegion;
  size_t at = track_in(region);
  if (at == kTracks) at = new_track(region, line % kLinesInRegion);
  order_.use(at);
  return tracks_.at(at);
}

// `kTracks` where there is none.
size_t Stream::track_in(uint64_t region) const {
  for (uint32_t found = regions_.equal(mark_of(region)); found != 0; found &= found - 1)
    if (const auto at = static_cast<size_t>(std::countr_zero(found));
        tracks_.at(at).region == region)
      return at;
  return kTracks;
}

// That of a region beside it which goes on at the line, or the one that was used longest ago, begun again.
size_t Stream::new_track(uint64_t region, unsigned at) {
  const size_t below = crosses_ ? track_in(region - 1) : kTracks;
  const size_t above = crosses_ ? track_in(region + 1) : kTracks;
  size_t found = order_.oldest();
  Track begun{region, {}, {}};
  if (below != kTracks && is_trained(tracks_.at(below).moved_up().touched_before(at)))
    begun = tracks_.at(found = below).moved_up();
  else if (above != kTracks && is_trained(tracks_.at(above).moved_down().touched_after(at)))
    begun = tracks_.at(found = above).moved_down();
  tracks_.at(found) = begun;
  regions_.set(found, mark_of(region));
  return found;
}

void Stream::ask_after(uint64_t line, Track &track, Targets &targets) const {
  const unsigned at = line % kLinesInRegion;
  const uint64_t known = track.touched.after(at) | track.asked.after(at);
  const uint64_t wanted = ~known & ~uint64_t{0} >> (kLinesInRegion - degree());
  uint64_t asked = 0;
  for (uint64_t left = wanted; left != 0; left &= left - 1) {
    const uint64_t target = line + 1 + static_cast<unsigned>(std::countr_zero(left));
    if (!may_ask(target, line)) break;
    targets.add(target);
    asked |= left & -left;
  }
  track.asked.here |= asked << at << 1;
  track.asked.above |= asked >> (63 - at);
}

void Stream::ask_before(uint64_t line, Track &track, Targets &targets) const {
  const unsigned at = line % kLinesInRegion;
  const uint64_t known = track.touched.before(at) | track.asked.before(at);
  const uint64_t wanted = ~known & ~uint64_t{0} << (kLinesInRegion - degree());
  uint64_t asked = 0;
  for (uint64_t left = wanted; left != 0;) {
    const auto back = static_cast<unsigned>(std::countl_zero(left));
    const uint64_t bit = uint64_t{1} << (63 - back);
    left &= ~bit;
    const uint64_t target = line - 1 - back;
    if (!may_ask(target, line)) break;
    targets.add(target);
    asked |= bit;
  }
  track.asked.here |= asked >> (63 - at) >> 1;
  track.asked.below |= asked << at;
}

} // namespace abut::sim
