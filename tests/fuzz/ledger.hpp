// The truth that the heap is held against: which blocks are live, where, how large, with what
// contents.
#pragma once

#include "fuzz/operation.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace fuzz {

struct Entry {
  void *start = nullptr;
  std::size_t size = 0;
  std::uint64_t key = 0;     // what the contents are made from
  std::size_t alignment = 0; // 0: of plain malloc
  enum class Maker : std::uint8_t { malloc, plain_new, aligned_new } maker = Maker::malloc;
};

// Ends the process with a message if the heap broke a rule. The message names the operation.
[[noreturn]] void report(const char *broken_rule, const Entry &entry);

class Ledger {
public:
  explicit Ledger(bool checks_overlap) : checks_overlap_(checks_overlap), slots_(kSlotCount) {}

  [[nodiscard]] Entry &at(std::size_t slot) { return slots_[slot % kSlotCount]; }
  [[nodiscard]] std::size_t live_bytes() const { return live_bytes_; }

  // A block that the heap has just handed out: checks where it lies, fills it, and keeps it.
  void enter(std::size_t slot, const Entry &entry);

  // As `enter`, for a block whose first `kept` bytes must still be those of its former self.
  void enter_resized(std::size_t slot, const Entry &entry, std::size_t kept);

  // Takes a block out, its contents checked: the caller is about to free it, or to pass it on.
  Entry strike(std::size_t slot);

  // Takes a block out without a look at its contents: a resize has freed it already.
  void forget(std::size_t slot);

  void verify(std::size_t slot);
  void fill_usable(std::size_t slot);

private:
  void check_place(const Entry &entry);

  bool checks_overlap_;
  std::vector<Entry> slots_;
  std::map<std::uintptr_t, std::size_t> live_; // start to end, when overlap is checked
  std::size_t live_bytes_ = 0;
};

} // namespace fuzz
