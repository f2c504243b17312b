// Who is allocating? The chain of return addresses that tells one allocation from another, turned into an entry.
//
// The compound table of Dynamic Pool Allocation (Wang, Wu, Yew 2010, section 3, figure 5b): a return address, mixed with
// the entry of its callee in the chain, leads to a leaf or to the next return address. Entries are only ever added;
// reading takes no lock. See docs/how/context.md.
#pragma once

#include "context/frame_rule.hpp"
#include "context/module_list.hpp"
#include "os/os.hpp"

#include <atomic>
#include <span>

namespace abut::context {

// What a chain is made of: the callers beyond wrappers, so many return addresses, or all of them.
enum class ChainMode : uint8_t { adaptive, one, two, three, four, full };

enum class EntryKind : uint8_t {
  leaf,    // the chain ends here: this entry is the context
  onward,  // the rule leads to the next return address
  last,    // the same, and the chain ends there: the pointer is not followed through memory
  loader,  // a leaf in the dynamic linker: whether code has gone is looked at first
  outside, // no chain: the rule of a frame that capture() went through
};

// One step of a chain. 32 bytes, so that two share a line.
struct Entry {
  std::atomic<uint64_t> key;      // 0: unused
  std::atomic<uintptr_t> payload; // the layers above own it; 0: nothing placed here
  FrameRule rule;                 // of the frame that the return address lies in
  std::atomic<EntryKind> kind;
  uint8_t depth = 0; // return addresses up to and with this one
  uint16_t id = 0;   // counted from 1; the same for the life of the process

  Address return_address() const;
};
static_assert(sizeof(Entry) == 32);

// The id of the chain up to a return address, and the rule that leads to the next one; none where the chain ends.
struct ChainStep {
  FrameRule rule;
  uint16_t id = 0;
};

// The entries are mapped at the first request that needs them: most programs never come to that, and two megabytes of
// addresses count where a process is limited in these.
class ChainTable {
public:
  static constexpr unsigned kLogSlots = 16;
  static constexpr unsigned kSlots = 1U << kLogSlots;
  static constexpr unsigned kMostEntries = kSlots - kSlots / 4;
  static constexpr unsigned kDeepestAdaptive = 6;
  static constexpr unsigned kDeepest = 64;

  // Before the first find(); afterwards it only changes chains that are yet unknown.
  void configure(ChainMode mode) { mode_ = mode; }

  // Has the entries mapped; false where memory is exhausted. Who calls first_place_of() calls this before there are threads.
  bool open();

  // The leaf of the chain that ends in `frame`. Never null: a table that is full, or has no memory, gives one leaf for
  // all the rest.
  Entry *find(Frame frame) {
    if (!is_open() && !open()) [[unlikely]]
      return &rest_;
    uint64_t key = *frame.sp;
    bool ends = false;
    for (unsigned depth = 1;; ++depth) {
      Entry *entry = look_up(key);
      if (entry == nullptr) [[unlikely]]
        entry = add(key, depth, ends);
      const EntryKind kind = entry->kind.load(std::memory_order_relaxed);
      if (kind == EntryKind::leaf) [[likely]]
        return entry;
      if (kind != EntryKind::onward) [[unlikely]] {
        if (kind != EntryKind::last) return at_loader(entry);
        ends = true;
      }
      if (!step(entry->rule, frame)) [[unlikely]]
        return entry; // a stack that is not what its tables say
      key = child_key(*frame.sp, entry->id);
    }
  }

  // Where the entry of a return address mostly is: by its key it is that entry or another one. Whether the chain ends there, its
  // kind tells.
  const Entry &first_place_of(Address return_address) const {
    return slots_[(return_address * Probe::kFactor) >> (64 - kLogDense)];
  }

  // Calls `visit(key, const ChainStep &)` for each step of a chain that find() knows.
  template <class Visit>
  void each_step(Frame frame, Visit visit) {
    if (!is_open()) return;
    uint64_t key = *frame.sp;
    for (unsigned depth = 1; depth <= kDeepest; ++depth) {
      const Entry *entry = look_up(key);
      if (entry == nullptr) return;
      const EntryKind kind = entry->kind.load(std::memory_order_relaxed);
      if (kind == EntryKind::leaf) return visit(key, ChainStep{{}, entry->id});
      if (kind != EntryKind::onward && kind != EntryKind::last) return;
      visit(key, ChainStep{entry->rule, entry->id});
      if (!step(entry->rule, frame)) return;
      key = child_key(*frame.sp, entry->id);
    }
  }

  // The key of a return address in the chain that leads to the entry of that id.
  static uint64_t child_key(Address return_address, uint16_t parent) {
    return (return_address & (kGone - 1)) | uint64_t{parent} << (kAddressBits + 1);
  }

  static Address address_in(uint64_t key) { return key & (kGone - 1); }

  // Writes the return addresses from `frame` outwards, at most `most`; how many. It ends where no rule leads on.
  unsigned capture(Frame frame, Address *addresses, unsigned most);

  // Another one each time that code has gone: what an id stands for may then be another chain.
  uint16_t generation() const {
    return static_cast<uint16_t>(1 + gone_.load(std::memory_order_relaxed));
  }

  unsigned entries() const { return count_.load(std::memory_order_relaxed); }
  const Entry *catch_all() const { return &rest_; }
  bool full() const { return entries() >= kMostEntries; }

  // Calls `visit(Entry &)` for each entry whose code is still there; others may be added meanwhile.
  template <class Visit>
  void each(Visit visit) {
    for (Entry &entry : slots())
      if (const uint64_t key = entry.key.load(std::memory_order_acquire);
          key != 0 && (key & kGone) == 0)
        visit(entry);
  }

  // Drops the entries of code that is no longer loaded. It happens by itself before other code can take its place:
  // the dynamic linker allocates for each object that it loads, before it maps it.
  void drop_unloaded();

  // A thread that forks holds it.
  os::SpinLock &lock() { return lock_; }

private:
  // A key is a return address, below the bits that tell its callee. The bit between is free in user space.
  static constexpr unsigned kAddressBits = 47;
  static constexpr uint16_t kMostGone = 0xffff;
  static constexpr uint64_t kGone = uint64_t{1} << kAddressBits;
  static constexpr uint16_t kOutsideId = 0xffff;

  // The first entries lie together on few pages, since most programs have no more.
  static constexpr unsigned kLogDense = 12;
  static constexpr unsigned kDense = 1U << kLogDense;
  static constexpr unsigned kDenseProbes = 8;

  // The slots where a key may stand, one after the other.
  class Probe {
  public:
    static constexpr uint64_t kFactor = 0x9e3779b97f4a7c15U;
    explicit Probe(uint64_t key) : hash_((key & ~kGone) * kFactor) {}
    unsigned slot() const {
      if (step_ < kDenseProbes) [[likely]]
        return (static_cast<unsigned>(hash_ >> (64 - kLogDense)) + step_) % kDense;
      return kDense + (static_cast<unsigned>(hash_ >> (64 - kLogSlots)) + step_) % kSlots;
    }
    void next() { ++step_; }

  private:
    uint64_t hash_;
    unsigned step_ = 0;
  };

  static constexpr unsigned kPlaces = kDense + kSlots;

  Entry *first() const {
    return std::atomic_ref(const_cast<Entry *&>(slots_)).load(std::memory_order_acquire);
  }
  bool is_open() const { return first() != nullptr; }
  std::span<Entry> slots() { return {first(), is_open() ? kPlaces : 0}; }

  // The entry of a key, or null.
  Entry *look_up(uint64_t key) {
    for (Probe probe(key);; probe.next()) {
      Entry &entry = first()[probe.slot()];
      const uint64_t found = entry.key.load(std::memory_order_acquire);
      if (found == key) [[likely]]
        return &entry;
      if (found == 0) return nullptr;
    }
  }

  Entry *add(uint64_t key, unsigned depth, bool ends);
  Entry *insert(uint64_t key, const Entry &made);
  Entry *at_loader(Entry *entry);
  EntryKind kind_of(Address return_address, const Procedure &procedure, unsigned depth);

  os::SpinLock lock_;
  ChainMode mode_ = ChainMode::adaptive;
  std::atomic<unsigned> count_{0};
  std::atomic<uint16_t> gone_{
      0}; // how often code went, below kMostGone: a generation is never zero
  ModuleList modules_;
  Entry *slots_ = nullptr; // kPlaces of them, or none yet
  Entry rest_;             // the leaf of all chains that found no room
};

extern constinit ChainTable chain_table;

inline Address Entry::return_address() const {
  return key.load(std::memory_order_relaxed) & ((uint64_t{1} << os::kAddressBits) - 1);
}

} // namespace abut::context
