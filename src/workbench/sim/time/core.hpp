// How long an out-of-order core takes over a program's accesses, in the manner of interval simulation (Eyerman, Eeckhout,
// Karkhanis and Smith, "A mechanistic performance model for superscalar out-of-order processors", TOCS 2009): accesses
// begin in order, as many at a time as the window holds, and end in order; what an end waits for is where the time went.
//
// - An access whose address comes from memory waits for the load that it comes from. Where the trace does not say which
//   that is, one that is neither on nor beside a line of the last few accesses is taken to depend on the last load of a
//   pointer's size, and those on or beside its line, on the same load.
//   Under another layout the same accesses depend as in the recorded one: the program's instructions are the same.
// - A load of what was just stored waits for what is stored.
// - As many misses are in flight as there are buffers (Kroft, "Lockup-free instruction fetch/prefetch cache
//   organization", ISCA 1981).
// - Lines of a page that the kernel has just cleared are misses that take as long as the second level (cleared_pages.hpp).
// - A line that a prefetcher asked for is there after the time that it takes, not at once.
// - Stores take buffers and bandwidth; the core waits for them only where the store buffer is full.
#pragma once

#include "sim/prefetch/code_stride.hpp"
#include "sim/prefetch/stream.hpp"
#include "sim/reference.hpp"
#include "sim/time/cleared_pages.hpp"
#include "sim/time/lru_sets.hpp"
#include "sim/time/machine.hpp"
#include "sim/time/memory_channel.hpp"
#include "sim/time/page_sets.hpp"
#include "sim/time/recent_lines.hpp"
#include "sim/time/store_buffer.hpp"
#include "sim/time/values.hpp"

#include <array>
#include <optional>
#include <vector>

namespace abut::sim {

class Core final : public Consumer {
public:
  explicit Core(const Machine &machine);

  // Of one thread, or of several taken as one.
  void take(const References &references) override;
  void follow(std::span<const MemoryEvent> events) override;
  TimeCounts counts() const;
  const std::vector<OwnerWaits> &waits_by_owner() const { return by_owner_; }

private:
  static constexpr uint32_t kLineShift = 6;
  static constexpr uint64_t kLineBytes = uint64_t{1} << kLineShift;
  static constexpr uint32_t kPointer = 8;
  enum class Kind : uint8_t { load, pointer, store };
  struct Access {
    uint64_t address;
    uint32_t size;
    uint64_t line; // of its first byte
    Ticks known;   // its address
  };
  // What the end of an access may wait for.
  struct Waits {
    Ticks dependence = 0;
    Ticks walk = 0;
    Ticks buffer = 0;
    Ticks store = 0;
    size_t level = 0; // 3 for memory
  };

  void take_block(const References &block, std::span<const uint64_t> onwards);
  Ticks known_at(uint64_t recorded, uint32_t size);
  // Code of its own for each kind, which is asked for once then.
  template <Kind kKind>
  void take_access(const Access &access);
  template <Kind kKind>
  void take_again(Ticks known);
  template <Kind kKind>
  void take_line(uint64_t line, Ticks known);
  template <Kind kKind>
  Ticks begin(Ticks known, Waits &waits);
  Ticks translate(uint64_t line);
  template <Kind kKind>
  void end(Ticks there, Waits &waits);
  void account(Ticks stall, const Waits &waits);
  Ticks fetch(uint64_t line, Ticks start, size_t &level);
  std::optional<Ticks> from_third(uint64_t line, Ticks start, size_t &level, bool early);
  void prefetch(uint64_t line, Ticks now);
  void prefetch_after(uint64_t line, Ticks now);

  Machine machine_;
  std::array<LruSets, 3> caches_;
  std::array<PageSets, 2> tlbs_;
  uint64_t page_ = ~uint64_t{0};   // of the last access
  uint64_t line_ = ~uint64_t{0};   // of the last access
  LruSets::Line *found_ = nullptr; // where the first level has it
  std::optional<Stream> stream_;
  CodeStride stride_;
  Targets targets_;
  RecentLines recent_;
  uint64_t recorded_line_ = ~uint64_t{0}; // of the last access, as recorded
  Ticks known_ = 0;                       // its address was known
  Values values_;
  Ticks stored_ = 0; // what the access loads was stored
  Ticks there_ = 0;  // what the last access loads
  StoreBuffer stores_;
  MemoryChannel memory_;
  ClearedPages cleared_;
  std::array<Ticks, kMostInFlight> ended_of_{}; // of the last accesses
  std::array<Ticks, kMostInFlight> filled_{};   // of the last misses
  Ticks begun_ = 0;                             // the last access
  Ticks ended_ = 0;                             // the last access
  Ticks pointer_ = 0;                           // the last pointer was loaded
  TimeCounts counts_;
  Owner owner_ = 0; // of the access that is being taken
  std::vector<OwnerWaits> by_owner_{1};
};

} // namespace abut::sim
