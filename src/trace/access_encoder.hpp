// Turns accesses into columns, a chunk at a time. How well it foretells is its own affair: whatever it chooses, a
// decoder gets back the same accesses.
#pragma once

#include "trace/access_columns.hpp"
#include "trace/combinations.hpp"
#include "trace/events.hpp"
#include "trace/tags.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace abut::trace {

class AccessEncoder {
public:
  // `with_codes`: with the addresses of the instructions.
  explicit AccessEncoder(bool with_codes = false);

  void add(const Access &access);
  uint32_t count() const { return static_cast<uint32_t>(chosen_.size()); }

  // The chunk's columns; the encoder begins a new chunk.
  AccessColumns finish();

private:
  struct Place {
    uint64_t object = 0;
    uint64_t offset = 0;
  };
  // Where something was last seen. A slot may be another's: that only makes the telling longer.
  struct Sight {
    uint64_t key = 0;
    uint32_t next = 0; // 1 + the number of the access; 0: never
  };

  static constexpr unsigned kSightBits = 12;
  static constexpr unsigned kGuessBits = 15;
  static constexpr size_t kMisses = 4;
  using Sights = std::vector<Sight>;

  Place &place(uint32_t access) { return window_[access & (kWindow - 1)]; }
  const Place &back(uint32_t distance) const {
    return window_[(count() - distance) & (kWindow - 1)];
  }
  bool foretold(const Combination &told, const Access &access, uint8_t kind) const;
  Combination describe(const Access &access, uint8_t kind);
  void leave_open(Combination &told);
  uint32_t distance_to(const Sights &sights, uint64_t key) const;
  uint32_t best_miss(uint64_t object) const;
  void catch_up();
  void begin_thread(uint32_t thread);
  void end_thread();
  void clear();

  Combinations combinations_;
  std::vector<uint32_t> chosen_; // a combination for each access
  OpenSteps open_;
  std::vector<Place> window_;
  std::vector<uint32_t> guesses_; // what followed, by what went before
  Sights objects_, regions_;
  std::array<uint32_t, kMisses> misses_{};
  uint32_t last_without_object_ = 0;
  uint64_t before_ = 0; // the last combinations, mixed
  uint32_t thread_ = 0;
  uint32_t thread_began_ = 0;
  uint32_t seen_ = 0; // accesses whose sights are noted
  Bytes threads_;
  CodeEncoder codes_;
  bool with_codes_ = false;
};

} // namespace abut::trace
