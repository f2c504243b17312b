// A page: 64 KiB of blocks, owned by one heap. (Birth pages, which are the other kind, may be longer: birth_page.hpp.)
//
// A size page holds blocks of one size, side by side; block n begins at n times the size, so that a power of two is
// aligned to itself. In front of the blocks lies one 16-bit state for each:
//
//   | state 0 | state 1 | state 2 | ...      | block n | block n+1 | ...                  |
//   0                                        64 KiB / 16 at most                     64 KiB
//
// The state of a live block is its own offset (its stamp), any other state says that no block begins there: one
// comparison with the address finds every bad free, whatever the program wrote to the block. To free a block is to clear
// its state. That takes no lock, writes nothing to the block, and any thread may do it; nothing is linked, and nothing
// comes back to the owner. Free blocks are found by their states, 64 at a time, when the owner needs some (size_heap.hpp).
//
// Pages are described apart from their memory, a line each, side by side at the beginning of their segment: page
// descriptions at one place of each page would share one set of the first-level cache.
#pragma once

#include "base/list.hpp"
#include "heap/segment_map.hpp"

#include <mutex>

namespace abut::heap {

class LocalHeap;

// Another thread may change what is read here; it is never torn, and as an operand of an instruction, which an atomic load
// never is, it costs free() one instruction less.
template <class Value>
[[gnu::always_inline]] inline Value load_plainly(const Value &value) {
#if defined(__SANITIZE_THREAD__)
  return std::atomic_ref(const_cast<Value &>(value)).load(std::memory_order_acquire);
#else
  return value;
#endif
}
// On x86 both are plain moves.
template <class Value>
[[gnu::always_inline]] inline void store_released(Value &place, Value value) {
  std::atomic_ref(place).store(value, std::memory_order_release);
}

using State = uint16_t;
inline constexpr State kNoBlock = 0;
// At places where no block can lie: before the first, and behind the last. No address that leads there has these stamps.
inline constexpr State kBeforeBlocks = 0xffff, kBehindBlocks = 1;

struct alignas(kLineBytes) Page {
  // What free() looks at.
  uint64_t reciprocal; // a block's index is its offset times this, over 2^32
  State *states;       // the page's memory; a birth page has its map there
  int32_t
      frees_left; // until somebody has to look at the page; of blocks, or of granules in a birth page
  // Threads that free at once may count one for two: it is a hint, see LocalHeap::recount().

  // Written under the owner's lock, or by the owner while it allocates from the page.
  int32_t live_then; // blocks that are live when no frees are left
  LocalHeap *owner;
  Link<Page> link; // among the owner's pages with room, or those without
  uint32_t
      touched; // blocks, or granules, from the page's beginning on that were handed out since it came
  uint8_t size_class; // zero: a birth page
  bool is_current;    // the owner allocates from it, and alone knows what is free
  bool has_room;      // is on the list of those
  bool is_clean;      // what was never touched reads as zero

  Address begin() const { return reinterpret_cast<Address>(states); }
  uint32_t block_bytes() const { return class_bytes(size_class); }
  uint32_t blocks() const { return kSmallPageBytes / block_bytes(); }
};
static_assert(sizeof(Page) == kLineBytes);

// States of a page that is no heap's: no address finds its stamp there.
inline constinit State no_states[2] = {kBeforeBlocks, kNoBlock};
inline constexpr uint64_t kHalvesOfPage = uint64_t{1}
                                          << 17; // as reciprocal, which leads to one of the two

// A segment of pages, all of one kind. The first page's place is taken by what describes the others.
template <unsigned Shift>
struct PageSegment {
  static constexpr unsigned kPages = kSegmentBytes >> Shift;
  static constexpr uint64_t kAll = (~uint64_t{0} >> (64 - kPages)) & ~uint64_t{1};

  Page pages[kPages];
  // Sets of pages, a bit each.
  uint64_t unused;
  uint64_t clean; // of the unused ones: all of it reads as zero
  uint64_t dirty; // of the unused ones: resident, to go back to the kernel
  Link<PageSegment> in_all;
  Link<PageSegment> by_room;
  Link<PageSegment> by_age;
  uint64_t freed_at;         // milliseconds, when a page was last freed
  size_t mapped;             // bytes, from the beginning on
  uint16_t resident[kPages]; // of each page that is not clean, the 4 KiB that were ever written to

  static PageSegment *of(Address address) {
    return reinterpret_cast<PageSegment *>(round_down(address, kSegmentBytes));
  }
  // Of an address in a segment.
  static bool is_mapped(Address address) {
    return address % kSegmentBytes < load_plainly(of(address)->mapped);
  }
  static unsigned index_of(Address address) {
    return static_cast<unsigned>(address >> Shift) % kPages;
  }
  Address address_of(unsigned index) const {
    return reinterpret_cast<Address>(this) + (size_t{index} << Shift);
  }
};
using SmallSegment = PageSegment<kSmallPageShift>;
using MediumSegment = PageSegment<kMediumPageShift>;

// The state of a live block: 64 KiB have as many addresses as a state has values.
constexpr State stamp_of(Address block) { return static_cast<State>(block); }

// A live block in a size page; or none.
struct LiveBlock {
  Page *page = nullptr;
  State *state = nullptr;

  explicit operator bool() const { return page != nullptr; }
};

// The one that begins at `address`, which lies in a segment of such pages.
[[gnu::always_inline]] inline LiveBlock live_block_in(Address address) {
  Page &page = SmallSegment::of(address)->pages[SmallSegment::index_of(address)];
  const uint64_t offset = stamp_of(address);
  State *state = load_plainly(page.states) + (offset * load_plainly(page.reciprocal) >> 32);
  if (load_plainly(*state) != stamp_of(address)) [[unlikely]]
    return {};
  return {&page, state};
}
[[gnu::always_inline]] inline LiveBlock live_block(const void *memory) {
  const auto address = reinterpret_cast<Address>(memory);
  return small_segments.holds(address) ? live_block_in(address) : LiveBlock{};
}
// The same for any segment, see SmallSegments.
inline LiveBlock live_block_anywhere(const void *memory) {
  const auto address = reinterpret_cast<Address>(memory);
  return segment_map.kind_at(address) == SegmentKind::small_pages ? live_block_in(address)
                                                                  : LiveBlock{};
}

// Frees it; false if somebody has to look at the page first, and nothing but the count is done. Nothing of the page may be
// touched after its state: it may be the last live block, and the page gone.
[[gnu::always_inline]] inline bool free_block(LiveBlock block) {
#if defined(__SANITIZE_THREAD__)
  if (std::atomic_ref(block.page->frees_left).fetch_sub(1, std::memory_order_relaxed) == 1)
#else
  if (--block.page->frees_left == 0) [[unlikely]]
#endif
    return false;
  store_released(*block.state, kNoBlock);
  return true;
}

// The page around an address of a size page or birth page; null if there is none, or it is no heap's.
Page *page_at(Address address);

} // namespace abut::heap
