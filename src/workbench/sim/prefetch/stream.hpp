// Streams: new lines of a page that come in ascending or descending order, whatever lies between them. A stream that
// was seen three times keeps `degree` lines ahead of the program (Jouppi, "Improving direct-mapped cache performance by
// the addition of a small fully-associative cache and prefetch buffers", ISCA 1990, with lines that go into the cache,
// as in Tendler et al., "POWER4 system microarchitecture", 2002). One that crosses pages, as those of virtual addresses
// do, goes on in the page that it runs into. There are 32, as Intel's manual has it (Optimization reference manual, "Data
// prefetch to the L2 cache"): a walk that visits many pages in turn keeps them all.
#pragma once

#include "sim/byte_marks.hpp"
#include "sim/prefetch/prefetcher.hpp"

#include <array>

namespace abut::sim {

class Stream final : public Prefetcher {
public:
  Stream(const LevelSettings &level, bool crosses) : Prefetcher(level), crosses_(crosses) {}

  void observe(uint64_t line, bool triggers, Targets &targets) override;

private:
  static constexpr size_t kTracks = 2 * ByteMarks::kCount;
  static constexpr uint32_t kTrusted = 2; // steps in one direction
  static constexpr uint64_t kNone = ~uint64_t{0};
  struct Track {
    uint64_t page = kNone;
    uint64_t line = kNone;
    uint64_t ahead = 0; // the last line that was asked for
    uint32_t length = 0;
    int direction = 0;

    uint64_t next() const { return line + static_cast<uint64_t>(direction); }
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
  size_t track_of(uint64_t line);
  size_t continued_by(uint64_t line) const;

  bool crosses_;
  std::array<Track, kTracks> tracks_;
  Marks pages_; // of the tracks
  Marks nexts_; // of the lines that would continue them
  Order order_;
};

} // namespace abut::sim
