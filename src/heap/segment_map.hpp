// Which addresses are the heap's: a table with one byte for every slot of 4 MiB that a process can address.
//
// Segments are laid side by side in a range of slots well below the kernel's own choices. The range is not
// reserved, so it costs nothing against limits on address space, and neighbours merge into one kernel mapping. A
// slot that somebody else has taken is passed over. Of the table only those pages are ever touched that tell of
// the range; it is as wide as the address space so that free() need not ask where the range begins.
#pragma once

#include "heap/geometry.hpp"
#include "os/os.hpp"

#include <atomic>

namespace abut::heap {

enum class SegmentKind : uint8_t {
  none,    // not the heap's
  pages,   // a Segment
  huge,    // the first slot of a block that is mapped directly
  tail,    // a further slot of such a block
  placed,  // memory of a layer above, whose blocks those are: see placed_blocks.hpp
  foreign, // somebody else was there when the slot was tried
  chunks,  // an area of blocks that have headers (layers/)
};

// On pages of its own, so that two processes can have it in common.
class alignas(kPageBytes) SegmentMap {
public:
  // The slots of the range, numbered from its beginning.
#if defined(__SANITIZE_THREAD__)
  static constexpr size_t kSlots = size_t{1} << 16; // that tool allows a narrower range
#else
  static constexpr size_t kSlots = size_t{1} << 21; // 8 TiB
#endif

  SegmentKind kind_at(Address address) const {
    const size_t slot = address >> kSegmentShift;
    return slot < kAllSlots ? load(slot) : SegmentKind::none;
  }

  // Maps `bytes` (a multiple of a page) at a multiple of `align` (of kSegmentBytes at least) and keeps address
  // space for `reserve` bytes there; null where there is none to be had.
  void *map(size_t bytes, size_t reserve, size_t align, SegmentKind kind);

  void unmap(void *memory, size_t bytes, size_t reserve);

  // Gives up the slots of a mapping that was moved away.
  void forget(void *memory, size_t reserve);

  // Takes slots, with nothing mapped there, for a mapping that is to be moved; null where there are none.
  void *claim(size_t reserve, SegmentKind kind);

  // Has the range begin at `base`, a multiple of kSegmentBytes, and not where the system would map. What lies below
  // keeps its kind, and is never given back.
  void begin_at(Address base) {
    base_.store(base, std::memory_order_relaxed);
    next_ = 0;
  }

  size_t mapped_bytes() const { return mapped_.load(std::memory_order_relaxed); }
  void count_mapped(ptrdiff_t change) { mapped_.fetch_add(static_cast<size_t>(change)); }

  os::SpinLock &lock() { return lock_; }

private:
  static constexpr size_t kAllSlots = size_t{1} << (os::kAddressBits - kSegmentShift);

  SegmentKind load(size_t slot) const {
    return std::atomic_ref(const_cast<SegmentKind &>(kinds_[slot])).load(std::memory_order_relaxed);
  }
  void store(size_t slot, SegmentKind kind) {
    std::atomic_ref(kinds_[slot]).store(kind, std::memory_order_relaxed);
  }

  size_t first_slot() const { return base_.load(std::memory_order_relaxed) >> kSegmentShift; }
  size_t find_slots(size_t count, size_t align);
  void mark(size_t slot, size_t count, SegmentKind first, SegmentKind rest);
  void choose_base();
  size_t slot_of(const void *memory) const;
  void *address_of(size_t slot) const;

  std::atomic<Address> base_{0};
  size_t next_ = 0; // where the search for slots goes on
  os::SpinLock lock_;
  std::atomic<size_t> mapped_{0};
  SegmentKind kinds_[kAllSlots]{};
};

extern constinit SegmentMap segment_map;

} // namespace abut::heap
