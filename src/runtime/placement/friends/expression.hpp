// An expression over registers, stack slots and memory that leads to a new object's friend.
#pragma once

#include "heap/heap.hpp"
#include "placement/friends/captured.hpp"

#include <span>

namespace abut::near {

// What compiled code leaves a friend's address in when it calls malloc: a word, or what lies in memory at
// [base + index * scale + offset], where the base may itself be read from memory first.
struct Expression {
  static constexpr uint8_t kNone = 0xff;

  uint8_t base = 0;      // which of the captured words
  uint8_t index = kNone; // the same
  uint8_t scale = 1;
  uint8_t loads = 0;  // 0 to 2
  int16_t inner = 0;  // offset of the first of two loads
  int64_t offset = 0; // of the last: as wide as what it is added to, in every request

  bool operator==(const Expression &) const = default;
};

// The expressions that are tried where nothing is known yet, the plain ones first.
inline constexpr unsigned kExpressions = 2560;
extern const Expression *const kAllExpressions;
unsigned expression_count(bool plain_only);

// Neighbours in that list that differ in scale and offsets only: where their base and index lead nowhere, none is tried.
struct Alike {
  uint16_t first = 0;
  uint16_t count = 0;
};
inline constexpr unsigned kMostAlike = 256;
std::span<const Alike> alike_near();

// The same for members of large objects, so many bytes from their beginning: one group a register.
inline constexpr unsigned kFarMember = 64, kFarMembersEnd = 512;
std::span<const Alike> alike_far();

// Reads a word that the program itself is about to use; zero where the address may not be readable: only the heap's
// own segments, the stack and the program's static data are ever read.
class Reader {
public:
  // Where expressions are only tried, what they lead to may be pages that the program has protected, as at the ends of stacks
  // that it has from malloc: then the kernel is asked first.
  enum class For : uint8_t { rules, trials };

  explicit Reader(const Captured &captured, For what = For::rules)
      : captured_(captured), stack_end_(stack_limit(captured.stack())),
        asks_first_(what == For::trials) {}

  uint64_t word(unsigned index) const {
    const auto *at = &captured_.words[index];
    if (index < Captured::kFirstSlot) return *at;
    return reinterpret_cast<Address>(at + 1) <= stack_end_ ? *at : 0;
  }

  uint64_t load(Address address) const {
    if (address % 8 != 0) return 0;
    if (heap::may_hold_blocks(address)) [[likely]]
      return asks_first_ && !is_readable(address) ? 0
                                                  : *reinterpret_cast<const uint64_t *>(address);
    return load_elsewhere(address);
  }

  uint64_t value(const Expression &expression) const;

  // Whether an expression with that base and index and so many loads can lead to a block at all.
  bool may_lead(const Expression &expression) const;

private:
  uint64_t load_elsewhere(Address address) const;
  bool can_be_read(Address address) const;
  bool is_readable(Address address) const;

  const Captured &captured_;
  Address stack_end_;
  bool asks_first_;
  mutable Address readable_page_ = 0; // the last one that was
};

inline uint64_t Reader::value(const Expression &e) const {
  uint64_t value = word(e.base);
  if (e.loads == 2) {
    value = load(value + static_cast<Address>(int64_t{e.inner}));
    if (value == 0) return 0;
  }
  if (e.index != Expression::kNone) value += word(e.index) * e.scale;
  return e.loads == 0 ? value : load(value + static_cast<Address>(e.offset));
}

// Finds out what static data the program has, for Reader. Called before the program runs.
void find_static_data();

} // namespace abut::near
