// What a sample of the program's accesses says of pools: which are used together, and which of them pay.
//
// The shape graph knows how objects hang together, not whether the program goes that way. Where bursts of its accesses
// are observed (src/runtime/placement/sampling), a visit is a burst that comes to a line; the next line tells what is used with it.
#pragma once

#include "placement/pools/pools.hpp"
#include "placement/sampling/sampler.hpp"

namespace abut::group {

// What is used by the program of a pool, or of the plain heap.
struct PoolUse {
  uint64_t visits = 0; // to lines: a burst came from another line
  uint64_t lines = 0;  // as many as each burst met
  uint64_t words = 0;  // of 8 bytes, of all these lines
};

enum class Together : uint8_t { unknown, seldom, mostly };

class Usage {
public:
  // Takes in what a burst accessed. While the thread is interrupted, anywhere: it takes no lock.
  void take(const sample::Accesses &accesses);

  // What the program does after a visit to a line of pool `from`, if it leaves the pool: does it go to pool `to`?
  Together after(PoolId from, PoolId to) const;

  // Whether much less of the pool's lines is used than of the plain heap's, so that its objects were better off there.
  bool is_thin(PoolId pool) const;

  const PoolUse &of(PoolId pool) const { return uses_[pool]; }

  // Visits to lines of `to` that came right after one to `from`.
  uint64_t steps(PoolId from, PoolId to) const { return steps_[from][to]; }
  uint64_t departures(PoolId from) const { return uses_[from].visits - steps_[from][from]; }

  static constexpr uint64_t kEnoughVisits = 64;
  static constexpr uint64_t kEnoughLines = 256;

private:
  // The lines of one burst.
  struct Line {
    Address number = 0;
    PoolId pool = kNoPool;
    uint8_t words = 0; // a bit each
  };
  static constexpr unsigned kLines = 512;

  void visit(PoolId pool, Address line, unsigned word);
  void count(Line &line);

  PoolUse uses_[kMostPools + 1];
  uint32_t steps_[kMostPools + 1][kMostPools + 1] = {};
  Line lines_[kLines];
  PoolId last_pool_ = kNoPool;
  Address last_line_ = 0;
};

extern constinit Usage usage;

// Whether accesses are sampled; set before the program runs.
extern bool sampling __attribute__((visibility("hidden")));

void start_sampling();

} // namespace abut::group
