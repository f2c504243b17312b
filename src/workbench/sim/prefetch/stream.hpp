// Streams: where so many of 32 lines in a row were touched, in whatever order, the lines that follow are brought in, as
// many as `degree` says, upwards or downwards. Jouppi, "Improving direct-mapped cache performance by the addition of a
// small fully-associative cache and prefetch buffers", ISCA 1990, with lines that go into the cache as in Tendler et al.,
// "POWER4 system microarchitecture", 2002, and a bit for each line that was touched as in Ishii, Inaba and Hiraki, "Access
// map pattern matching for high performance data cache prefetch", JILP 2011.
//
// A stream that crosses pages, as those of virtual addresses do, goes on in the page that it runs into. There are 32, as
// Intel's manual has it (Optimization reference manual, "Data prefetch to the L2 cache"): a walk that visits many pages in
// turn keeps them all.
#pragma once

#include "sim/byte_marks.hpp"
#include "sim/prefetch/prefetcher.hpp"

#include <array>

namespace abut::sim {

class Stream final : public Prefetcher {
public:
  // `trained`: lines that were touched, the last one included, before any is brought in.
  Stream(const LevelSettings &level, bool crosses, uint32_t trained)
      : Prefetcher(level), crosses_(crosses), trained_(trained) {}

  void observe(uint64_t line, bool triggers, Targets &targets) override;

private:
  static constexpr size_t kTracks = 2 * ByteMarks::kCount;
  static constexpr uint64_t kNone = ~uint64_t{0} / 2; // nor beside a region
  static constexpr unsigned kOthers = 31; // lines in a row that count, beside the line itself

  // A bit for each line of a region of 64 and of those on both sides.
  struct Lines {
    uint64_t below = 0;
    uint64_t here = 0;
    uint64_t above = 0;

    // As many lines as a word has, those next to the line on the side of its lowest or highest bit.
    uint64_t before(unsigned at) const { return here << (63 - at) << 1 | below >> at; }
    uint64_t after(unsigned at) const { return here >> at >> 1 | above << (63 - at); }
  };
  struct Track {
    uint64_t region = kNone;
    Lines touched;
    Lines asked; // for early

    // Those of 31 lines on one side, a bit each.
    uint64_t touched_before(unsigned at) const { return touched.before(at) >> (64 - kOthers); }
    uint64_t touched_after(unsigned at) const { return touched.after(at) << (64 - kOthers); }
    Track moved_up() const;
    Track moved_down() const;
  };

  // A byte a track.
  struct Marks {
    std::array<ByteMarks, 2> halves;

    void set(size_t at, uint8_t mark) {
      halves[at / ByteMarks::kCount].set(at % ByteMarks::kCount, mark);
    }
    uint32_t equal(uint8_t mark) const {
      return halves[0].equal(mark) | halves[1].equal(mark) << ByteMarks::kCount;
    }
  };

  // The tracks from the one used last to the one used longest ago: a ring, in which the head lies between these two.
  class Order {
  public:
    Order() {
      for (size_t at = 0; at <= kHead; ++at) {
        newer_[at] = static_cast<uint8_t>(at == kHead ? 0 : at + 1);
        older_[newer_[at]] = static_cast<uint8_t>(at);
      }
    }
    size_t oldest() const { return newer_[kHead]; }
    void use(size_t at) {
      older_[newer_[at]] = older_[at];
      newer_[older_[at]] = newer_[at];
      newer_[at] = kHead;
      older_[at] = older_[kHead];
      newer_[older_[at]] = older_[kHead] = static_cast<uint8_t>(at);
    }

  private:
    static constexpr uint8_t kHead = kTracks;
    std::array<uint8_t, kTracks + 1> newer_{}, older_{};
  };

  static uint8_t mark_of(uint64_t number) { return static_cast<uint8_t>(number ^ number >> 8); }
  Track &track_of(uint64_t line);
  size_t track_in(uint64_t region) const;
  size_t new_track(uint64_t region, unsigned at);
  void ask_after(uint64_t line, Track &track, Targets &targets) const;
  void ask_before(uint64_t line, Track &track, Targets &targets) const;
  bool is_trained(uint64_t others) const;
  bool may_ask(uint64_t target, uint64_t line) const {
    return crosses_ || page_of(target) == page_of(line);
  }

  bool crosses_;
  uint32_t trained_;
  std::array<Track, kTracks> tracks_;
  Marks regions_; // of the tracks
  Order order_;
};

} // namespace abut::sim
