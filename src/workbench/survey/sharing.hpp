// Lines that several threads use at the same time, one of which at least writes them: what coherence would cost, and
// whether it is for the same words (true sharing) or only for the same line (false sharing; Torrellas, Lam and Hennessy,
// "False sharing and spatial locality in multiprocessor caches", 1994).
//
// A recorder may have run threads in long turns, so their order tells little. Within an epoch they are taken to run side
// by side: each thread misses a line as often as it uses it, but no more often than others write it. Words that one
// thread has done with before another begins are not shared, and neither is the memory of a new object.
#pragma once

#include "trace/hash_map.hpp"

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace abut::report {

// A place in a context's objects, in words of 8 bytes.
struct FieldOf {
  uint32_t context = 0;
  uint32_t word = 0;

  bool operator==(const FieldOf &) const = default;
};

// Who loses the line to whom.
struct FalseSharing {
  FieldOf missed, written;

  bool operator==(const FalseSharing &) const = default;
};

class Sharing {
public:
  static constexpr uint64_t kEpoch = uint64_t{1} << 24; // accesses: some turns of millions each

  struct Misses {
    uint64_t true_sharing = 0;
    uint64_t false_sharing = 0;
  };
  struct Mixed {
    size_t operator()(const FalseSharing &pair) const {
      const uint64_t missed = uint64_t{pair.missed.context} << 32 | pair.missed.word;
      const uint64_t written = uint64_t{pair.written.context} << 32 | pair.written.word;
      return trace::mixed(missed) ^ trace::mixed(written + 1);
    }
  };
  using Pairs = std::unordered_map<FalseSharing, uint64_t, Mixed>;

  // Words [from, to] of a line, the first of which is that field.
  void use(uint32_t thread, uint64_t line, unsigned from, unsigned to, FieldOf field, bool write);
  // Another object lives there from now on.
  void forget(uint64_t line) {
    if (!several_) return;
    alone_.erase(line);
    lines_.erase(line);
  }
  void finish();

  const std::vector<Misses> &contexts() const { return contexts_; }
  const Pairs &pairs() const { return pairs_; }

private:
  static constexpr size_t kThreads = 4, kMostPairs = size_t{1} << 18;
  static constexpr unsigned kHandedOn = 2; // turns: one thread after the other
  struct Use {
    uint32_t thread = 0; // 0: none
    uint32_t accesses = 0, writes = 0;
    uint8_t used = 0, written = 0; // words, a bit each
    FieldOf field;                 // the first, or the first that was written
  };
  struct Line {
    std::array<Use, kThreads> uses{}; // the last one is that of all further threads
    uint32_t last_thread = 0;
    uint32_t turns = 0;
  };

  void count(const Line &line);
  static void add(Use &use, uint32_t thread, uint8_t words, FieldOf field, bool write);

  uint32_t last_thread_ = 0;
  bool several_ = false;
  uint64_t accesses_ = 0;
  trace::NumberMap<Use> alone_;  // the one thread that used a line in the epoch so far
  trace::NumberMap<Line> lines_; // those that several did
  std::vector<Misses> contexts_{1};
  Pairs pairs_;
};

} // namespace abut::report
