// One cache: sets by some policy, and what happens on hits and misses.
#pragma once

#include "sim/cache/level.hpp"
#include "sim/policy/replacement.hpp"
#include "sim/prefetch/prefetcher.hpp"
#include "sim/settings.hpp"

#include <array>
#include <bit>
#include <memory>
#include <unordered_map>

namespace abut::sim {

// How many references the program has made; only kept up to date where there is a prefetcher.
struct Clock {
  uint64_t now = 0;
};

// Makes the level of these settings, of the policy that they name.
std::unique_ptr<Level> make_level(const LevelSettings &settings, const Clock &clock);

template <Replacement Sets>
class CacheLevel final : public Level {
public:
  CacheLevel(const LevelSettings &settings, const Clock &clock);

  using Level::take;
  void take(const References &references) override;
  void reference(const Request &request) override { use(request); }
  bool fetch(const Request &request, Purpose purpose) override;
  void write_back(const Request &request) override;
  void take_victim(const Request &request, bool dirty) override;
  bool leave(uint64_t address, uint32_t size) override;
  bool exclusive() const override { return settings_.inclusion == Inclusion::exclusive; }
  uint32_t line_bytes() const override { return settings_.line; }

private:
  static constexpr uint64_t kNoUnit = ~uint64_t{0};

  static constexpr size_t kPiece = 4096;
  using Uses = std::array<uint16_t, kPiece>; // places in a piece

  // The fast path: what was referred to last is referred to again.
  void use(const Request &request) {
    ++counts.accesses[request.kind];
    const uint64_t unit = request.address >> unit_shift_;
    const uint64_t end = (request.address + request.size - 1) >> unit_shift_;
    if (unit == last_unit_ && end == unit && (request.kind & unsettled_) == 0) return;
    look_up(request);
  }

  size_t find_uses(const References &references, Uses &uses) const;
  void take_piece(const References &references);
  void take_straddling(Request request, uint64_t last);
  void look_up(const Request &request);
  void pass_on(const Request &request);
  void miss(const Request &request, MissClass why);
  void bring(const Request &request, const Entry *entry, uint8_t sectors, uint64_t flags,
             Purpose purpose = Purpose::demand);
  void remember(uint64_t unit, bool was_hit, bool dirty);
  void fill(uint64_t line, uint64_t flags, uint8_t sectors);
  void evict(Entry entry);
  void run_ahead(const Request &request, uint64_t line, bool triggers);
  void use_prefetched(Entry &entry, Side side);

  uint8_t sectors_of(const Request &request) const;
  uint64_t address_of(uint64_t line) const { return line << line_shift_; }
  static uint64_t flag_of(Side side) { return side == Side::allocator ? Entry::kByAllocator : 0; }

  // What the fast path reads.
  uint64_t last_unit_ = kNoUnit; // a line, or a sector of one
  unsigned unit_shift_;
  Kind unsettled_ = 0; // kinds of references to it that change something all the same
  unsigned line_shift_;

  SetIndex sets_;
  uint8_t all_sectors_;
  bool plain_; // a hit does nothing but make a line recent, and dirty where it is written
  Sets lines_;
  LevelSettings settings_;
  const Clock &clock_;
  std::unique_ptr<Prefetcher> prefetcher_;
  std::unordered_map<uint64_t, uint64_t> issued_at_; // of lines that wait for their first use
  std::unique_ptr<MissClasses> classes_;
};

} // namespace abut::sim
