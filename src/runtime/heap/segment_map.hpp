// Which addresses are the heap's: a table with one byte for every slot of 4 MiB of one range of addresses.
//
// Segments are laid side by side in that range, well below the kernel's own choices. The range is not reserved, so
// it costs nothing against limits on address space, and neighbours merge into one kernel mapping. A slot that
// another mapping has taken is skipped. The table is as long as the range and no longer: it counts against the
// limits of a process from its first moment.
#pragma once

#include "heap/geometry.hpp"
#include "os/os.hpp"

#include <atomic>

namespace abut::heap {

enum class SegmentKind : uint8_t {
  none,        // not the heap's
  size_pages,  // a PageSegment of size pages, and large blocks (page.hpp)
  birth_pages, // one of birth pages (birth_page.hpp)
  huge,        // the first slot of a block that is mapped directly
  tail,        // a further slot of such a block
  placed,      // memory of a layer above, whose blocks those are: see placed_blocks.hpp
  foreign,     // another mapping was there when the slot was tried
  chunks,      // an area of blocks that have headers, which other heaps make of these parts
  runs,        // another of theirs, of pages in a row
};

// On pages of its own, so that two processes can have it in common.
class alignas(kPageBytes) SegmentMap {
public:
  // The slots of the range, numbered from its beginning.
#if defined(__SANITIZE_THREAD__)
  static constexpr size_t kSlots = size_t{1} << 16; // that tool allows a narrower range
#else
  static constexpr size_t kSlots = size_t{1} << 20; // 4 TiB
#endif

  SegmentKind kind_at(Address address) const {
    const size_t slot = slot_of(address);
    return slot < kSlots ? load(slot) : SegmentKind::none;
  }

  // Maps `bytes` (a multiple of a page) at a multiple of `align` (of kSegmentBytes at least) and keeps address
  // space for `reserve` bytes there; null where there is none to be had.
  void *map(size_t bytes, size_t reserve, size_t align, SegmentKind kind);

  void unmap(void *memory, size_t bytes, size_t reserve);

  // Hides a mapping from who asks what lies there, and shows it again; its addresses stay taken.
  void hide(void *memory) { store(slot_of(memory), SegmentKind::foreign); }
  void show(void *memory, SegmentKind kind) { store(slot_of(memory), kind); }

  // Where the first of the slots of the huge mapping that `address` lies in begins.
  Address first_of(Address address) const;

  // Gives up the slots of a mapping that was moved away.
  void forget(void *memory, size_t reserve);

  // Takes slots for a mapping of `bytes` that is to be moved there, and holds these addresses until then, so that
  // no other mapping can be in its way; null where there are none.
  void *claim(size_t bytes, size_t reserve, SegmentKind kind);

  // Gives up a claim to which nothing was moved.
  void release_claim(void *memory, size_t bytes, size_t reserve);

  // The same as claim() where no other mapping can be: for a range that was mapped as a whole.
  void *claim_slots(size_t reserve, SegmentKind kind);

  // Takes more slots behind those of a mapping, as many as `reserve` requests; false where they are not to be had.
  bool extend(const void *memory, size_t old_reserve, size_t reserve);

  // Has segments lie from `begin` on, a multiple of kSegmentBytes, and not where the system would map. What lies below
  // keeps its kind, and is never given back. The first call decides where the range begins.
  void begin_at(Address begin);

  size_t mapped_bytes() const { return mapped_.load(std::memory_order_relaxed); }
  void count_mapped(ptrdiff_t change) { mapped_.fetch_add(static_cast<size_t>(change)); }

  os::SpinLock &lock() { return lock_; }

private:
  // Other threads may store meanwhile. No such value is ever torn, and as an operand of another instruction, which an
  // atomic load never is, it costs free() one instruction less.
  template <class Value>
  static Value load_plainly(const Value &value) {
#if defined(__SANITIZE_THREAD__)
    return std::atomic_ref(const_cast<Value &>(value)).load(std::memory_order_relaxed);
#else
    return value;
#endif
  }

  SegmentKind load(size_t slot) const { return load_plainly(kinds_[slot]); }
  void store(size_t slot, SegmentKind kind) {
    std::atomic_ref(kinds_[slot]).store(kind, std::memory_order_relaxed);
  }
  Address base() const { return load_plainly(base_); }

  // Of an address outside the range it is a number that no slot has.
  size_t slot_of(Address address) const { return (address - base()) >> kSegmentShift; }
  size_t slot_of(const void *memory) const { return slot_of(reinterpret_cast<Address>(memory)); }
  void *address_of(size_t slot) const;
  bool are_unused(size_t slot, size_t count) const;
  size_t find_slots(size_t count, size_t align);
  void mark(size_t slot, size_t count, SegmentKind kind);
  void take(size_t slot, size_t count, SegmentKind kind);
  void choose_base();
  template <class Map>
  void *map_at_slots(size_t count, size_t align, SegmentKind kind, Map map);

  Address base_ = 0; // of the range; zero until it is chosen
  size_t least_ = 0; // no slot before this one is used
  size_t next_ = 0;  // where the search for slots goes on
  os::SpinLock lock_;
  std::atomic<size_t> mapped_{0};
  SegmentKind kinds_[kSlots]{};
};

extern constinit SegmentMap segment_map;

// Which segments hold pages, for free(): by the lower 16 bits of its number each has a place, where its number stands,
// inverted if they are birth pages. One comparison with it, and nothing of where the range begins or ends, tells any address.
// Where two segments share one place, as can be in more than 256 GiB of such segments, the second is freed from a little slower.
class PageSegments {
public:
  // The segment of size pages around an address, or zero.
  [[gnu::always_inline]] Address size_segment_at(Address address) const {
    uint64_t number = number_of(address);
    if (known_at(address) != static_cast<uint32_t>(number)) return 0;
    __asm__("" : "+r"(number)); // else compilers mask the address, which is one instruction more
    const Address segment = (number << kSegmentShift) - kSegmentBytes;
    if (segment == 0) __builtin_unreachable();
    return segment;
  }
  [[gnu::always_inline]] bool holds_birth_pages(Address address) const {
    // Loaded again, so that both comparisons are with memory, which saves the first an instruction.
    __asm__("" ::: "memory");
    return known_at(address) == ~static_cast<uint32_t>(number_of(address));
  }
  void add(Address segment, SegmentKind kind) {
    store(known_[0], 1);
    uint32_t &place = place_of(segment);
    if (place == 0) store(place, known_as(segment, kind));
  }
  void remove(Address segment, SegmentKind kind) {
    uint32_t &place = place_of(segment);
    if (place == known_as(segment, kind)) store(place, 0);
  }

private:
  // Zero is the number of no address but the very last, whose place is never a segment's: so the table is zero at first,
  // and needs no memory.
  static uint64_t number_of(Address address) { return (address + kSegmentBytes) >> kSegmentShift; }
  static uint32_t known_as(Address segment, SegmentKind kind) {
    const auto number = static_cast<uint32_t>(number_of(segment));
    return kind == SegmentKind::size_pages ? number : ~number;
  }
  [[gnu::always_inline]] uint32_t known_at(Address address) const {
    const uint32_t &known = known_[static_cast<uint16_t>(number_of(address))];
#if defined(__SANITIZE_THREAD__)
    return std::atomic_ref(const_cast<uint32_t &>(known)).load(std::memory_order_acquire);
#else
    return known;
#endif
  }
  uint32_t &place_of(Address segment) { return known_[static_cast<uint16_t>(number_of(segment))]; }
  static void store(uint32_t &place, uint32_t number) {
    std::atomic_ref(place).store(number, std::memory_order_release);
  }

  uint32_t known_[1 << 16] = {};
};

extern constinit PageSegments page_segments;

} // namespace abut::heap
