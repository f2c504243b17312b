#include "heap/segment_map.hpp"

#include <iterator>
#include <mutex>

namespace abut::heap {

constinit SegmentMap segment_map;
constinit PageSegments page_segments;

namespace {

// How far below the kernel's first choice the range ends, so that the program's mappings do not run into it: programs that run
// WebAssembly, for one, reserve 8 GiB for each of its memories. Less where there are fewer addresses.
#if defined(__SANITIZE_THREAD__)
constexpr size_t kGaps[] = {64 * GiB};
#else
constexpr size_t kGaps[] = {16 * TiB, 256 * GiB};
#endif

constexpr size_t slots_for(size_t bytes) { return (bytes + kSegmentBytes - 1) >> kSegmentShift; }

} // namespace

void *SegmentMap::address_of(size_t slot) const {
  return reinterpret_cast<void *>(base() + (slot << kSegmentShift));
}

void SegmentMap::choose_base() {
  void *probe = os::map(kPageBytes);
  if (probe == nullptr) return;
  os::unmap(probe, kPageBytes);
  const Address top = round_down(reinterpret_cast<Address>(probe), kSegmentBytes);
  // Where mappings grow upwards from a low address (some emulators), the range lies above instead.
  Address base = top + *std::rbegin(kGaps);
  for (const size_t gap : kGaps)
    if (const size_t below = gap + kSlots * kSegmentBytes; top > below + GiB) {
      base = top - below;
      break;
    }
  std::atomic_ref(base_).store(base, std::memory_order_relaxed);
}

void SegmentMap::begin_at(Address begin) {
  if (base_ == 0) base_ = begin;
  next_ = least_ = slot_of(begin);
}

void SegmentMap::mark(size_t slot, size_t count, SegmentKind kind) {
  for (size_t i = 0; i < count; ++i) store(slot + i, kind);
}

void SegmentMap::take(size_t slot, size_t count, SegmentKind kind) {
  store(slot, kind);
  mark(slot + 1, count - 1, kind == SegmentKind::placed ? kind : SegmentKind::tail);
  next_ = slot + count;
}

bool SegmentMap::are_unused(size_t slot, size_t count) const {
  for (size_t i = 0; i < count; ++i)
    if (slot + i >= kSlots || load(slot + i) != SegmentKind::none) return false;
  return true;
}

// The first run of `count` unused slots whose address is a multiple of `align`, from `next_` on and then once
// more from the start; kSlots where there is none.
size_t SegmentMap::find_slots(size_t count, size_t align) {
  for (const size_t start : {next_, least_}) {
    size_t slot = start;
    while (slot + count <= kSlots) {
      const Address address = reinterpret_cast<Address>(address_of(slot));
      slot += (round_up(address, align) - address) >> kSegmentShift;
      size_t free = 0;
      while (free < count && slot + free < kSlots && load(slot + free) == SegmentKind::none) ++free;
      if (free == count) return slot;
      slot += free + 1;
    }
  }
  return kSlots;
}

// `map(wanted)` maps at `wanted`, or elsewhere where another mapping has these addresses, or nowhere.
template <class Map>
void *SegmentMap::map_at_slots(size_t count, size_t align, SegmentKind kind, Map map) {
  for (unsigned tries = 0; tries < 1024; ++tries) {
    const size_t slot = find_slots(count, align);
    if (slot == kSlots) return nullptr;
    void *wanted = address_of(slot);
    const os::Mapped memory = map(wanted);
    if (memory == os::Mapped::done) {
      take(slot, count, kind);
      return wanted;
    }
    if (memory == os::Mapped::exhausted) return nullptr;
    store(slot, SegmentKind::foreign);
  }
  return nullptr;
}

void *SegmentMap::map(size_t bytes, size_t reserve, size_t align, SegmentKind kind) {
  std::lock_guard guard(lock_);
  if (base() == 0) choose_base();
  if (base() == 0) return nullptr;
  void *memory = map_at_slots(slots_for(reserve), align, kind,
                              [bytes](void *wanted) { return os::map_at(wanted, bytes); });
  if (memory != nullptr) mapped_.fetch_add(bytes, std::memory_order_relaxed);
  return memory;
}

void SegmentMap::forget(void *memory, size_t reserve) {
  std::lock_guard guard(lock_);
  const size_t slot = slot_of(memory);
  mark(slot, slots_for(reserve), SegmentKind::none);
  if (slot < next_) next_ = slot; // low addresses first: the range stays dense
}

void SegmentMap::unmap(void *memory, size_t bytes, size_t reserve) {
  mapped_.fetch_sub(bytes, std::memory_order_relaxed);
  release_claim(memory, bytes, reserve);
}

Address SegmentMap::first_of(Address address) const {
  size_t slot = slot_of(address);
  while (slot > 0 && load(slot) == SegmentKind::tail) --slot;
  return reinterpret_cast<Address>(address_of(slot));
}

void *SegmentMap::claim(size_t bytes, size_t reserve, SegmentKind kind) {
  std::lock_guard guard(lock_);
  return map_at_slots(slots_for(reserve), kSegmentBytes, kind,
                      [bytes](void *wanted) { return os::reserve_at(wanted, bytes); });
}

// Where the kernel refuses, as it does when a mapping would have to be split and there are too many, the addresses
// are not used again, and only the memory is given back.
void SegmentMap::release_claim(void *memory, size_t bytes, size_t reserve) {
  if (os::unmap(memory, bytes)) return forget(memory, reserve);
  static_cast<void>(os::discard(memory, bytes));
  std::lock_guard guard(lock_);
  mark(slot_of(memory), slots_for(reserve), SegmentKind::foreign);
}

void *SegmentMap::claim_slots(size_t reserve, SegmentKind kind) {
  std::lock_guard guard(lock_);
  return map_at_slots(slots_for(reserve), kSegmentBytes, kind,
                      [](void *) { return os::Mapped::done; });
}

bool SegmentMap::extend(const void *memory, size_t old_reserve, size_t reserve) {
  std::lock_guard guard(lock_);
  const size_t end = slot_of(memory) + slots_for(old_reserve);
  const size_t more = slots_for(reserve) - slots_for(old_reserve);
  if (!are_unused(end, more)) return false;
  mark(end, more, SegmentKind::tail);
  if (next_ >= end && next_ < end + more) next_ = end + more;
  return true;
}

} // namespace abut::heap
