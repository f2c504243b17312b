// What every simulator takes in: references to memory, as columns.
//
// Addresses are bytes. Of an address the low 51 bits count, which is more than programs have today; of a reference at
// most its first 1 MiB. A reference that straddles two lines counts once for each of them.
#pragma once

#include "base/units.hpp"
#include "sim/memory_event.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace abut::sim {

// A reference's kind is the sum of these, as in traces.
using Kind = uint8_t;
inline constexpr Kind kWrite = 1;
inline constexpr Kind kAllocator = 2; // the allocator's own; else the application's
inline constexpr size_t kKinds = 4;

enum class Side : uint8_t { application, allocator };
inline constexpr size_t kSides = 2;

constexpr Side side_of(Kind kind) {
  return (kind & kAllocator) != 0 ? Side::allocator : Side::application;
}
constexpr size_t index_of(Side side) { return static_cast<size_t>(side); }

inline constexpr unsigned kAddressBits = 51;
inline constexpr uint64_t kAddressMask = (uint64_t{1} << kAddressBits) - 1;
inline constexpr uint32_t kMostBytes = uint32_t{1} << 20;

// Whom a reference is counted for beside its side: a context, site, group, object or page; 0 is none.
using Owner = uint32_t;

struct Reference {
  uint64_t address = 0;
  uint32_t size = 1;
  Kind kind = 0;
  uint32_t thread = 0;
  Owner owner = 0;
};

// References as columns of one length. All but the addresses may be empty: then every size is 1 byte, and every
// kind, thread and owner is 0.
struct References {
  std::span<const uint64_t> addresses;
  std::span<const uint32_t> sizes;
  std::span<const Kind> kinds;
  std::span<const uint32_t> threads;
  std::span<const Owner> owners;
  std::span<const uint64_t> codes = {}; // the instructions' addresses, where they are known
  std::span<const uint64_t> recorded =
      {};                                // where they were when recorded; empty: at their addresses
  std::span<const uint8_t> sources = {}; // as a trace's accesses have them; empty: not recorded

  size_t count() const { return addresses.size(); }

  References part(size_t from, size_t length) const {
    const auto cut = [from, length](auto column) {
      return column.empty() ? column : column.subspan(from, length);
    };
    return {cut(addresses), cut(sizes), cut(kinds),    cut(threads),
            cut(owners),    cut(codes), cut(recorded), cut(sources)};
  }

  Reference operator[](size_t i) const {
    return {addresses[i], sizes.empty() ? 1 : sizes[i], kinds.empty() ? Kind{0} : kinds[i],
            threads.empty() ? 0 : threads[i], owners.empty() ? 0 : owners[i]};
  }
};

// The bytes that a reference touches: [first, last].
struct Extent {
  uint64_t first;
  uint64_t last;
};

constexpr Extent extent_of(uint64_t address, uint32_t size) {
  const uint64_t first = address & kAddressMask;
  const uint32_t length = std::clamp<uint32_t>(size, 1, kMostBytes);
  return {first, std::min(first + length - 1, kAddressMask)};
}

// Something that references are fed to, a batch after another.
class Consumer {
public:
  Consumer() = default;
  Consumer(const Consumer &) = delete;
  Consumer &operator=(const Consumer &) = delete;
  virtual ~Consumer() = default;

  virtual void take(const References &references) = 0;
  // What happened to memory among the references that come next.
  virtual void follow(std::span<const MemoryEvent> /*events*/) {}
};

} // namespace abut::sim
