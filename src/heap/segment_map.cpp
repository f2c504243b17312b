#include "heap/segment_map.hpp"

#include <mutex>

namespace abut::heap {

constinit SegmentMap segment_map;

namespace {

// How far below the kernel's first choice the range ends, so that ordinary mappings do not run into it.
#if defined(__SANITIZE_THREAD__)
constexpr size_t kGap = 64 * GiB;
#else
constexpr size_t kGap = 256 * GiB;
#endif

constexpr size_t slots_for(size_t bytes) { return (bytes + kSegmentBytes - 1) >> kSegmentShift; }

} // namespace

size_t SegmentMap::slot_of(const void *memory) const {
  return (reinterpret_cast<Address>(memory) - base_.load(std::memory_order_relaxed)) >>
         kSegmentShift;
}

void *SegmentMap::address_of(size_t slot) const {
  return reinterpret_cast<void *>(base_.load(std::memory_order_relaxed) + (slot << kSegmentShift));
}

void SegmentMap::choose_base() {
  void *probe = os::map(nullptr, kPageBytes);
  if (probe == nullptr) return;
  os::unmap(probe, kPageBytes);
  const Address top = round_down(reinterpret_cast<Address>(probe), kSegmentBytes);
  constexpr size_t kBelow = kGap + kSlots * kSegmentBytes;
  // Where mappings grow upwards from a low address (some emulators), the range lies above instead.
  base_.store(top > kBelow + GiB ? top - kBelow : top + kGap, std::memory_order_relaxed);
}

void SegmentMap::mark(size_t slot, size_t count, SegmentKind first, SegmentKind rest) {
  store(first_slot() + slot, first);
  for (size_t i = 1; i < count; ++i) store(first_slot() + slot + i, rest);
}

// The first run of `count` unused slots whose address is a multiple of `align`, from `next_` on and then once
// more from the start; kSlots where there is none.
size_t SegmentMap::find_slots(size_t count, size_t align) {
  for (const size_t start : {next_, size_t{0}}) {
    size_t slot = start;
    while (slot + count <= kSlots) {
      const Address address = reinterpret_cast<Address>(address_of(slot));
      slot += (round_up(address, align) - address) >> kSegmentShift;
      size_t free = 0;
      while (free < count && slot + free < kSlots &&
             load(first_slot() + slot + free) == SegmentKind::none)
        ++free;
      if (free == count) return slot;
      slot += free + 1;
    }
  }
  return kSlots;
}

void *SegmentMap::map(size_t bytes, size_t reserve, size_t align, SegmentKind kind) {
  std::lock_guard guard(lock_);
  if (base_.load(std::memory_order_relaxed) == 0) choose_base();
  if (base_.load(std::memory_order_relaxed) == 0) return nullptr;
  const size_t count = slots_for(reserve);
  for (unsigned tries = 0; tries < 1024; ++tries) {
    const size_t slot = find_slots(count, align);
    if (slot == kSlots) return nullptr;
    void *wanted = address_of(slot);
    void *memory = os::map(wanted, bytes);
    if (memory == nullptr) return nullptr;
    if (memory == wanted) {
      mark(slot, count, kind, kind == SegmentKind::placed ? kind : SegmentKind::tail);
      next_ = slot + count;
      mapped_.fetch_add(bytes, std::memory_order_relaxed);
      return memory;
    }
    os::unmap(memory, bytes);
    mark(slot, 1, SegmentKind::foreign, SegmentKind::foreign);
  }
  return nullptr;
}

void SegmentMap::forget(void *memory, size_t reserve) {
  std::lock_guard guard(lock_);
  const size_t slot = slot_of(memory);
  mark(slot, slots_for(reserve), SegmentKind::none, SegmentKind::none);
  if (slot < next_) next_ = slot; // low addresses first: the range stays dense
}

void SegmentMap::unmap(void *memory, size_t bytes, size_t reserve) {
  os::unmap(memory, bytes);
  mapped_.fetch_sub(bytes, std::memory_order_relaxed);
  forget(memory, reserve);
}

void *SegmentMap::claim(size_t reserve, SegmentKind kind) {
  std::lock_guard guard(lock_);
  const size_t count = slots_for(reserve);
  const size_t slot = find_slots(count, kSegmentBytes);
  if (slot == kSlots) return nullptr;
  mark(slot, count, kind, SegmentKind::tail);
  next_ = slot + count;
  return address_of(slot);
}

} // namespace abut::heap
