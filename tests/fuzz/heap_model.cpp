#include "fuzz/heap_model.hpp"

#include "support/pattern.hpp"

#include <algorithm>
#include <cstdlib>
#include <malloc.h>
#include <new>
#include <utility>

namespace fuzz {
namespace {

constexpr std::size_t kMostLiveBytes = std::size_t{48} << 20;
constexpr std::size_t kBurstSize = 4096; // a burst of larger blocks would be all that a run does

void *allocate_by(const Operation &operation, std::size_t size, Entry &entry) {
  const auto aligned = [&] { return entry.alignment = operation.alignment; };
  switch (operation.kind) {
  case Kind::calloc: {
    void *start = std::calloc(1, size);
    if (start != nullptr && !support::all_zero(start, size)) {
      entry.start = start;
      report("calloc left it unzeroed", entry);
    }
    return start;
  }
  case Kind::aligned_alloc: return ::aligned_alloc(aligned(), size);
  case Kind::posix_memalign: {
    void *start = nullptr;
    return ::posix_memalign(&start, aligned(), size) == 0 ? start : nullptr;
  }
  case Kind::memalign: return ::memalign(aligned(), size);
  case Kind::new_delete:
    entry.maker = Entry::Maker::plain_new;
    return ::operator new(size, std::nothrow);
  case Kind::aligned_new:
    entry.maker = Entry::Maker::aligned_new;
    return ::operator new (size, std::align_val_t{aligned()}, std::nothrow);
  default: return std::malloc(size);
  }
}

void free_by_maker(const Entry &entry) {
  switch (entry.maker) {
  case Entry::Maker::malloc: std::free(entry.start); break;
  case Entry::Maker::plain_new:
    if (entry.key % 2 == 0)
      ::operator delete(entry.start);
    else
      ::operator delete(entry.start, entry.size); // both are right
    break;
  case Entry::Maker::aligned_new:
    ::operator delete (entry.start, entry.size, std::align_val_t{entry.alignment});
    break;
  }
}

} // namespace

void Exchange::leave(const Entry &entry) {
  const std::lock_guard lock(mutex_);
  entries_.push_back(entry);
}

Entry Exchange::take(std::uint64_t wish) {
  const std::lock_guard lock(mutex_);
  if (entries_.empty()) return {};
  std::swap(entries_[wish % entries_.size()], entries_.back());
  const Entry entry = entries_.back();
  entries_.pop_back();
  return entry;
}

HeapModel::~HeapModel() {
  for (std::size_t slot = 0; slot < kSlotCount; ++slot) release(slot);
  for (Entry entry = exchange_.take(0); entry.start != nullptr; entry = exchange_.take(0)) {
    if (!support::holds_sparsely(entry.start, entry.size, entry.key))
      report("its contents changed", entry);
    free_by_maker(entry);
  }
}

std::size_t HeapModel::bounded(std::size_t size) const {
  return ledger_.live_bytes() + size <= kMostLiveBytes ? size : size % kBurstSize;
}

void HeapModel::perform(const Operation &operation) {
  switch (operation.kind) {
  case Kind::free: release(operation.slot); break;
  case Kind::realloc:
  case Kind::reallocarray: resize(operation); break;
  case Kind::verify: ledger_.verify(operation.slot); break;
  case Kind::fill_usable: ledger_.fill_usable(operation.slot); break;
  case Kind::trim: malloc_trim(operation.size); break;
  case Kind::hand_over: hand_over(operation.slot); break;
  case Kind::malloc_burst:
    for (std::size_t i = 0; i < kBurstLength; ++i) {
      Operation one = operation;
      one.size %= kBurstSize;
      allocate(one, operation.slot + i);
    }
    break;
  case Kind::free_burst:
    for (std::size_t i = 0; i < kBurstLength; ++i) release(operation.slot + i);
    break;
  default: allocate(operation, operation.slot);
  }
}

void HeapModel::allocate(const Operation &operation, std::size_t slot) {
  release(slot);
  Entry entry;
  entry.size = bounded(operation.size);
  entry.key = next_key_++;
  entry.start = allocate_by(operation, entry.size, entry);
  ledger_.enter(slot, entry);
}

void HeapModel::resize(const Operation &operation) {
  if (ledger_.at(operation.slot).maker != Entry::Maker::malloc) release(operation.slot);
  ledger_.verify(operation.slot);
  Entry entry = ledger_.at(operation.slot);
  const std::size_t old_size = entry.size;
  if (entry.start == nullptr) entry.key = next_key_++;
  entry.size = bounded(operation.size);
  entry.alignment = 0;
  void *const old_start = entry.start;
  entry.start = operation.kind == Kind::realloc ? std::realloc(old_start, entry.size)
                                                : ::reallocarray(old_start, entry.size, 1);
  if (old_start != nullptr) ledger_.forget(operation.slot);
  if (old_start != nullptr && entry.size == 0) { // a resize to nothing is a free
    if (entry.start != nullptr) report("realloc to size 0 gave a block", entry);
    return;
  }
  ledger_.enter_resized(operation.slot, entry, std::min(old_size, entry.size));
}

void HeapModel::release(std::size_t slot) {
  if (ledger_.at(slot).start != nullptr) free_by_maker(ledger_.strike(slot));
}

// Leaves this slot's block for another thread, and takes what another left.
void HeapModel::hand_over(std::size_t slot) {
  const Entry taken = exchange_.take(next_key_);
  if (ledger_.at(slot).start != nullptr) exchange_.leave(ledger_.strike(slot));
  if (taken.start == nullptr) return;
  if (!support::holds_sparsely(taken.start, taken.size, taken.key))
    report("its contents changed on the way", taken);
  free_by_maker(taken);
}

} // namespace fuzz
