// The objects of a run by the context that allocated them: how many, how large, how long they live, and how much
// lived when. From events alone.
//
// Memory: some forty bytes an object, half a kilobyte a context, and some bytes a page.
#pragma once

#include "layout/edges.hpp"
#include "trace/events.hpp"
#include "trace/hash_map.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace abut::report {

inline constexpr size_t kSizeBins = 64;
inline constexpr size_t kLifeBins = 64;

// Sizes up to 512 bytes by steps of 16, the first 1 to 16 bytes; larger ones by powers of two.
constexpr size_t size_bin(uint64_t bytes);

struct ContextCensus {
  uint64_t objects = 0;
  uint64_t bytes = 0;     // at birth
  uint64_t live = 0;      // bytes
  uint64_t most_live = 0; // bytes
  uint64_t immortal = 0;  // objects that were never freed
  std::array<uint64_t, kSizeBins> sizes{};
  // By the binary logarithm of their lives.
  std::array<uint64_t, kLifeBins> lives{};
};

class Census {
public:
  // `clock`: accesses of the run before; `address`: where the event's object lies now.
  void take(const trace::Event &event, uint64_t address, uint64_t clock);

  // Row 0 is of context 0, the unknown.
  const std::vector<ContextCensus> &contexts() const { return contexts_; }
  uint64_t live_bytes() const { return live_; }
  uint64_t most_live_bytes() const { return most_live_; }
  // Pages of 4 KiB with something alive on them.
  uint64_t pages() const { return pages_; }
  // When the most was alive.
  uint64_t peak() const { return peak_; }

  uint64_t born(uint64_t object) const {
    return object < objects_.size() ? objects_[object].born : 0;
  }
  uint32_t context_of(uint64_t object) const {
    return object < objects_.size() ? objects_[object].context : 0;
  }

  // Which contexts' objects share lines of 64 bytes with which, at that time: pairs of objects, the smaller number first.
  place::EdgeList line_mates(uint64_t clock) const;

private:
  static constexpr uint64_t kAlive = UINT64_MAX;

  struct Object {
    uint64_t address = 0;
    uint64_t size = 0;
    uint64_t born = kAlive;
    uint64_t died = kAlive;
    uint32_t context = 0;
  };

  void bear(const trace::Event &event, uint64_t address, uint64_t clock);
  void resize(Object &object, uint64_t size, uint64_t clock);
  void occupy(const Object &object, bool begins);

  std::vector<Object> objects_;
  std::vector<ContextCensus> contexts_{1};
  uint64_t live_ = 0;
  uint64_t most_live_ = 0;
  uint64_t peak_ = 0;
  uint64_t pages_ = 0;
  trace::NumberMap<uint32_t> on_page_; // objects that begin or end there
};

constexpr size_t size_bin(uint64_t bytes) {
  if (bytes <= 512) return bytes == 0 ? 0 : (bytes - 1) / 16;
  size_t bin = 32;
  for (uint64_t most = 1024; most < bytes && bin < kSizeBins - 1; most *= 2) ++bin;
  return bin;
}

} // namespace abut::report
