// Following a plan: the n-th object of a context goes to the context's n-th slot.
//
// Threads are served first come, first served: the slots are those of the context, whichever thread asks. Where an object
// is not of the slot's size, the plan and the program have parted there: the object goes to the heap, and the context
// goes on with the next slot of that size if one is near (objects are missing), else with the same slot (there is one too
// many). A context of which fewer than a quarter of the objects find their slots is disabled.
#pragma once

#include "base/policies.hpp"
#include "context/chain_table.hpp"
#include "placement/plan/memory.hpp"
#include "placement/plan/slot_reader.hpp"

namespace abut::plan {

struct Counts {
  uint64_t contexts = 0; // of the plan
  uint64_t met = 0;      // of those
  uint64_t disabled = 0;
  uint64_t placed = 0;   // objects, in slots and pools
  uint64_t left = 0;     // as the plan has it, to the heap
  uint64_t occupied = 0; // slots in which something still lay
  uint64_t missed = 0;   // objects that had no slot though their context has some
  uint64_t skipped = 0;  // slots that no object came for
  uint64_t rests = 0;    // times that following was suspended, since no request matched the plan
};

class Follower {
public:
  static constexpr uint32_t kLooksAhead = 16;    // slots
  static constexpr uint32_t kEvaluateEvery = 64; // misses

  // How many requests that match nothing of the plan are examined: at first; once some has matched; and at each
  // further look.
  static constexpr uint32_t kFirstPatience = 1U << 17;
  static constexpr uint32_t kPatience = 1U << 20;
  static constexpr uint32_t kExamined = 1U << 12;

  // Slots are decoded by so many at a time; and what has been decoded of the plan is unmapped by so many bytes.
  static constexpr uint32_t kDecoded = 128;
  static constexpr size_t kStretch = 64 * KiB;

  // Null when the plan is followed from now on, else why it cannot be. The file's bytes stay; `mapped`: in a mapping of
  // their own, of which what is no longer needed may be unmapped.
  const char *open(const View &view, bool mapped);

  // Places nothing more; what lies in its slots stays there.
  void stop() {
    stopped_.store(true, std::memory_order_relaxed);
    disable(Policy::plan);
  }

  // Resumes for a short time if it is suspended and the heap has grown by an eighth meanwhile. `bytes` is what the heap has.
  void resume_when_grown(size_t bytes);

  // The outcome of the fast path.
  enum class Outcome : uint8_t { unknown, placed, plain };
  struct Fast {
    Outcome outcome = Outcome::unknown;
    void *block = nullptr; // where it is placed
  };

  // A place, or that there is none, if no call is needed to know that. `return_address` is the entry point's.
  [[gnu::always_inline]] Fast take_fast(size_t bytes, Address return_address) {
    const context::Entry &entry = chain_table.first_place_of(return_address);
    if (entry.key.load(std::memory_order_acquire) != return_address) [[unlikely]]
      return {};
    const auto known = static_cast<intptr_t>(entry.payload.load(std::memory_order_acquire));
    if (known > static_cast<intptr_t>(kPlain)) [[likely]]
      return take_at_once(*reinterpret_cast<Cursor *>(known), granules_of(bytes));
    return {known == kPlain && passes() ? Outcome::plain : Outcome::unknown};
  }

  // A place for a small block, or null: then the heap has one. `frame` is the entry point's.
  void *allocate(size_t bytes, context::Frame frame);

  bool release(Address address);
  size_t usable(Address address) const { return memory_.usable(address); }

  Counts counts() const;
  os::SpinLock &lock() { return lock_; }
  static context::ChainTable &chains() { return chain_table; }

private:
  // What is known of a chain's last entry: a cursor, or
  static constexpr uintptr_t kPlain = 1; // not in the plan, or done with; and
  static constexpr uintptr_t kFar = uintptr_t{1}
                                    << 63; // the fast path does not know that the chain ends there

  // How far a context has come.
  struct Cursor {
    const Slot *next = nullptr, *end = nullptr; // of those that are decoded
    Slot *slots = nullptr;                      // room for them
    SlotReader coded;
    const uint8_t *mapped = nullptr; // from where on its coded slots still are
    uint32_t decoded = 0, total = 0;
    uint32_t pool = 0;
    uint32_t missed = 0, skipped = 0, occupied = 0, left = 0;
    uint32_t evaluated = 0, evaluated_misses = 0, evaluated_skips = 0; // as of the last evaluation
    uint64_t pooled = 0;
    context::Entry *entry = nullptr;
    bool disabled = false;

    uint32_t come() const { return decoded - static_cast<uint32_t>(end - next); }
  };

  static uint32_t granules_of(size_t bytes) {
    return static_cast<uint32_t>((bytes + kGranule - 1) / kGranule);
  }

  [[gnu::always_inline]] Fast take_at_once(Cursor &cursor, uint32_t count) {
    const Slot *at = cursor.next;
    if (*alone_ == 0 || at == cursor.end) [[unlikely]]
      return {};
    const Slot slot = *at;
    if (slot.requested != count) [[unlikely]]
      return {};
    if (slot.kept == 0) {
      cursor.next = at + 1;
      ++cursor.left;
      return {Outcome::plain};
    }
    if (!memory_.take_at_once(slot.offset, slot.kept)) [[unlikely]]
      return {};
    cursor.next = at + 1;
    return {Outcome::placed, memory_.address_of(slot.offset)};
  }

  void *next(Cursor &cursor, uint32_t count, bool alone) {
    if (cursor.next == cursor.end) [[unlikely]]
      return beyond(cursor, count);
    const Slot slot = *cursor.next;
    if (slot.requested != count) [[unlikely]]
      return find_again(cursor, count);
    ++cursor.next;
    return settle(cursor, slot, alone);
  }

  void *settle(Cursor &cursor, const Slot &slot, bool alone) {
    if (slot.kept == 0) {
      ++cursor.left;
      return nullptr;
    }
    void *block = memory_.take(slot.offset, slot.kept, alone);
    if (block == nullptr) [[unlikely]]
      ++cursor.occupied;
    return block;
  }

  // Where no request has anything to do with the plan for long, nobody looks any more until the heap has grown: then
  // false.
  bool passes() {
    std::atomic_ref left(passes_left_);
    const uint32_t now = left.load(std::memory_order_relaxed);
    if (now == 0) [[unlikely]]
      return false;
    left.store(now - 1, std::memory_order_relaxed);
    return true;
  }
  void rest();
  uint64_t progress() const;
  bool has_memory();

  void decode(Cursor &cursor);
  void give_back_decoded(Cursor &cursor) const;
  void *next_locked(Cursor &cursor, uint32_t count);
  void *beyond(Cursor &cursor, uint32_t count);
  void *find_again(Cursor &cursor, uint32_t count);
  void evaluate(Cursor &cursor);
  static void pass_by(context::Entry &entry);
  uintptr_t meet(context::Entry *entry, context::Frame frame);
  const Context *find(const Step *steps, uint32_t count) const;
  bool step_of(Address return_address, Step &step);

  const char *alone_ = &os::kNotAlone; // whether there is one thread only
  uint32_t passes_left_ = kFirstPatience;
  uint64_t progress_seen_ = 0; // when they had run out before
  std::atomic<uint32_t> rests_{0};
  std::atomic<size_t> next_look_{0}; // bytes of the heap
  std::atomic<bool> stopped_{false};
  Memory memory_;
  os::SpinLock lock_;
  View view_;
  bool mapped_ = false;
  Cursor *cursors_ = nullptr; // one a context, from the first that is met on
  Slot *room_ = nullptr;      // for slots of contexts that were not met yet
  static context::ChainTable chain_table __attribute__((visibility("hidden")));
};

extern constinit Follower follower __attribute__((visibility("hidden")));

// Reads the plan that the options name, and follows it. What is wrong with it is said, and the program runs without it.
void start();

} // namespace abut::plan
