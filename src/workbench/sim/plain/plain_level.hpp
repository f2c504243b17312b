// A plain cache: LRU, write-back, of few ways, in a tree where no level reaches up into another and without prefetchers.
// Nothing that happens below then matters above. So it takes thousands of references before the next level sees what
// they make of it, and what it will look at can be fetched ahead; and no branch depends on what hits.
#pragma once

#include "sim/cache/level.hpp"
#include "sim/cache/line_request.hpp"
#include "sim/plain/line_uses.hpp"
#include "sim/plain/plain_sets.hpp"
#include "sim/settings.hpp"

#include <memory>
#include <vector>

namespace abut::sim {

class PlainLevel final : public Level {
public:
  // Whether a tree of these levels can have plain ones, and whether this can be one of them.
  static bool fits(const std::vector<LevelSettings> &levels);
  static bool fits(const LevelSettings &level);

  explicit PlainLevel(const LevelSettings &settings);

  void take(const References &references) override;
  void take(const LineRequests &requests) override;
  void reference(const Request &request) override;
  bool fetch(const Request &request, Purpose purpose) override;
  void write_back(const Request &request) override;
  // No level below is one that would ask for these.
  void take_victim(const Request &, bool) override {}
  bool leave(uint64_t, uint32_t) override { return false; }
  uint32_t line_bytes() const override { return uint32_t{1} << line_shift_; }

private:
  void run(std::span<const LineRequest> requests, bool owned);
  void run_one(const Request &request, uint64_t bits);
  void classify(std::span<const LineRequest> requests);

  unsigned line_shift_;
  PlainSets sets_;
  std::unique_ptr<MissClasses> classes_;
  LineUses uses_; // of references of the program
  std::vector<LineRequest> handed_;
  std::vector<uint8_t> missed_; // which of the requests
};

} // namespace abut::sim
