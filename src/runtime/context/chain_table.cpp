#include "context/chain_table.hpp"

#include "context/wrapper_walk.hpp"

#include <mutex>

namespace abut::context {

constinit ChainTable chain_table;

bool ChainTable::open() {
  std::lock_guard guard(lock_);
  if (is_open()) return true;
  void *memory = os::map_sparse(round_up(kPlaces * sizeof(Entry), kPageBytes));
  std::atomic_ref(slots_).store(static_cast<Entry *>(memory), std::memory_order_release);
  return memory != nullptr;
}

// What the entry of `return_address` at `depth` is to a chain.
EntryKind ChainTable::kind_of(Address return_address, const Procedure &procedure, unsigned depth) {
  if (depth == 1 && is_loader(return_address)) return EntryKind::loader;
  if (!procedure.rule || depth >= kDeepest) return EntryKind::leaf;
  if (mode_ == ChainMode::full) return EntryKind::onward;
  if (mode_ == ChainMode::adaptive) {
    if (depth >= kDeepestAdaptive) return EntryKind::leaf;
    const WalkEnd end = walk_wrapper(return_address, procedure);
    if (end == WalkEnd::gives_back) return EntryKind::last;
    return end == WalkEnd::wrapper ? EntryKind::onward : EntryKind::leaf;
  }
  return depth < static_cast<unsigned>(mode_) ? EntryKind::onward : EntryKind::leaf;
}

// Two threads may find out at once what an address says, and one of them keeps it.
Entry *ChainTable::add(uint64_t key, unsigned depth, bool ends) {
  if (full() || (key & kGone) != 0) return &rest_;
  const Address return_address = key & (kGone - 1);
  const Procedure procedure = find_procedure(return_address);
  Entry made{};
  made.rule = procedure.rule;
  made.depth = static_cast<uint8_t>(depth);
  EntryKind kind = EntryKind::outside;
  if (key >> (kAddressBits + 1) != kOutsideId) {
    std::lock_guard guard(lock_); // there is room for one walk at a time
    kind = ends ? EntryKind::leaf : kind_of(return_address, procedure, depth);
  }
  made.kind.store(kind, std::memory_order_relaxed);
  return insert(key, made);
}

Entry *ChainTable::insert(uint64_t key, const Entry &made) {
  std::lock_guard guard(lock_);
  for (Probe probe(key);; probe.next()) {
    Entry &entry = first()[probe.slot()];
    const uint64_t found = entry.key.load(std::memory_order_relaxed);
    if (found == key) return &entry;
    if (found != 0 && found != (key | kGone)) continue;
    if (found == 0) {
      if (full()) return &rest_;
      entry.id = static_cast<uint16_t>(count_.fetch_add(1, std::memory_order_relaxed) + 1);
    }
    // Code of a module that is not listed could go unnoticed; so no rule of it is kept.
    const bool remembered = modules_.add(key & (kGone - 1));
    entry.rule = remembered ? made.rule : FrameRule{};
    entry.depth = made.depth;
    const EntryKind kind = made.kind.load(std::memory_order_relaxed);
    const bool leads_on = kind == EntryKind::onward || kind == EntryKind::last;
    entry.kind.store(leads_on && !remembered ? EntryKind::leaf : kind, std::memory_order_relaxed);
    entry.key.store(key, std::memory_order_release);
    return &entry;
  }
}

// An entry whose code is gone keeps its place, its id and its payload: readers may be on their way past it, and code
// that comes back finds what it had.
void ChainTable::drop_unloaded() {
  std::lock_guard guard(lock_);
  modules_.drop_unloaded([this](CodeRange range) {
    gone_.store(generation() % kMostGone, std::memory_order_relaxed);
    for (Entry &entry : slots()) {
      const uint64_t key = entry.key.load(std::memory_order_relaxed);
      if (key != 0 && range.holds((key & (kGone - 1)) - 1))
        entry.key.store(key | kGone, std::memory_order_release);
    }
  });
}

Entry *ChainTable::at_loader(Entry *entry) {
  if (entry->kind.load(std::memory_order_relaxed) == EntryKind::loader) drop_unloaded();
  return entry;
}

unsigned ChainTable::capture(Frame frame, Address *addresses, unsigned most) {
  if (!is_open() && !open()) return 0;
  unsigned count = 0;
  while (count < most) {
    addresses[count++] = *frame.sp;
    const uint64_t key = child_key(*frame.sp, kOutsideId);
    Entry *entry = look_up(key);
    if (entry == nullptr) entry = add(key, 1, false);
    if (!entry->rule || !step(entry->rule, frame)) break;
  }
  return count;
}

} // namespace abut::context
