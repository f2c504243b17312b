// Whose bytes lie on the lines that a cache brings in, and which of them are used before they leave: why a line is used
// badly. Lines are of 64 bytes, in words of 8; the cache is LRU.
//
// Memory: a quarter of what lives in small objects, and 24 bytes an object.
#pragma once

#include "layout/edges.hpp"
#include "trace/events.hpp"
#include "trace/hash_map.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace abut::report {

// What one context's misses brought in, in words, but for `lines`.
struct Brought {
  static constexpr size_t kFields = 65; // words of the object; the last has what lies behind
  static constexpr size_t kSets = 64;   // groups of sets

  uint64_t lines = 0;
  uint64_t used = 0;
  uint64_t own = 0;    // not used, of the object that was missed
  uint64_t alike = 0;  // not used, of other objects of its context
  uint64_t others = 0; // not used, of other contexts' objects
  uint64_t straddled =
      0; // lines that hold the rest of an object that would fit in one, whose other line was there
  std::array<uint64_t, kFields> uses{};     // accesses
  std::array<uint64_t, kFields> by_field{}; // misses
  std::array<uint64_t, kSets> by_set{};     // misses
};

class LineContents {
public:
  static constexpr uint64_t kLine = 64, kWord = 8;

  LineContents(uint32_t sets, uint32_t ways);

  void take(const trace::Event &event);
  // An access of the program to a known object.
  void use(uint64_t object, uint64_t offset, uint32_t size);
  // Counts what the cache still holds.
  void finish();

  const std::vector<Brought> &contexts() const { return contexts_; }
  // Which contexts' unused words came with which contexts' misses.
  place::EdgeList take_mates() { return mates_.take(); }
  uint32_t context_of(uint64_t object) const { return known(object).context; }

private:
  static constexpr uint64_t kGranule = 16, kPage = 4096;
  struct Object {
    uint64_t address = 0;
    uint64_t size = 0;
    uint32_t context = 0;
    bool live = false;
  };
  struct Held {
    uint64_t line = ~uint64_t{0};
    uint64_t used_at = 0;
    uint32_t object = 0;
    uint8_t used = 0; // a bit a word
  };
  using Page = std::array<uint32_t, kPage / kGranule>; // the object of each granule

  const Object &known(uint64_t object) const {
    return objects_[object < objects_.size() ? object : 0];
  }
  void put(uint64_t number, const trace::Event &event);
  void mark(const Object &object, uint32_t number);
  void mark(uint64_t from, uint64_t to, uint32_t number);
  uint32_t object_at(uint64_t address);
  void use_line(uint64_t line, uint8_t words, uint32_t object, uint64_t field);
  bool holds(uint64_t line) const;
  void leave(const Held &held);

  uint32_t sets_, ways_;
  std::vector<Held> held_;
  uint64_t clock_ = 0;
  std::vector<Object> objects_{1};
  trace::NumberMap<std::unique_ptr<Page>> pages_;
  std::vector<Brought> contexts_{1};
  place::EdgeCounter mates_{size_t{1} << 20};
};

} // namespace abut::report
