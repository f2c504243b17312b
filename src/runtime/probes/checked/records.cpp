#include "probes/checked/records.hpp"

#include "context/chain_table.hpp"

#include <algorithm>

namespace abut::checked {

constinit Records records;

namespace {
constexpr size_t kSlotBytes = sizeof(void *);
}

Callers callers_of(context::Frame frame) {
  Callers callers;
  context::chain_table.capture(frame, callers.addresses, Callers::kMost);
  return callers;
}

// Where it is, or would be.
size_t Records::slot_of(Address block) const {
  size_t at = home(block);
  while (slots_[at] != nullptr && slots_[at]->block != block) at = (at + 1) & (slot_count_ - 1);
  return at;
}

Record *Records::find(Address block) const {
  return slot_count_ != 0 ? slots_[slot_of(block)] : nullptr;
}

bool Records::grow() {
  Record **old = slots_;
  const size_t old_count = slot_count_;
  const size_t count = std::max(kFirstSlots, 2 * old_count);
  auto **made = static_cast<Record **>(os::map(count * kSlotBytes));
  if (made == nullptr) return false;
  slots_ = made;
  slot_count_ = count;
  for (size_t i = 0; i < old_count; ++i)
    if (old[i] != nullptr) slots_[slot_of(old[i]->block)] = old[i];
  if (old != nullptr) os::unmap(static_cast<void *>(old), old_count * kSlotBytes);
  return true;
}

Record *Records::fresh() {
  if (free_ == nullptr) {
    auto *slab = static_cast<Record *>(os::map(kSlab));
    if (slab == nullptr) return nullptr;
    for (size_t i = 0; i < kSlab / sizeof(Record); ++i) {
      slab[i].next = free_;
      free_ = slab + i;
    }
  }
  Record *record = free_;
  free_ = record->next;
  *record = Record();
  return record;
}

Record *Records::add(Address block) {
  if (used_ >= slot_count_ / 2 && !grow()) return nullptr;
  Record *record = fresh();
  if (record == nullptr) return nullptr;
  record->block = block;
  slots_[slot_of(block)] = record;
  ++used_;
  return record;
}

// Those behind it in the same run move up, so that no probe meets a gap.
void Records::remove(Record *record) {
  const size_t mask = slot_count_ - 1;
  size_t gap = slot_of(record->block);
  for (size_t at = (gap + 1) & mask; slots_[at] != nullptr; at = (at + 1) & mask) {
    const size_t wanted = home(slots_[at]->block);
    if (((at - wanted) & mask) < ((at - gap) & mask)) continue;
    slots_[gap] = slots_[at];
    gap = at;
  }
  slots_[gap] = nullptr;
  --used_;
  record->next = free_;
  free_ = record;
}

} // namespace abut::checked
