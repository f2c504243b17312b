// A size page: 64 KiB of blocks of one size, side by side in the order of their addresses.
//
//   0        256                 4096                                               65536
//   | header | states of blocks  | block | block | block | ...                     |
//
// One byte for each granule of 16 bytes tells whether a live block begins there: byte n for granule n. The first 256
// granules hold the header and the bytes themselves, never a block, so the header lies where their bytes would. From a
// block's address alone, one mask leads to its page, and one shift to its byte: every bad free is found out exactly,
// whatever the program has written to a block that it freed.
//
// The owner's thread frees and allocates without a lock. Only the page that it allocates from, of each size, loses
// blocks from its list of free ones; what is written in a page without a live block is written under the heap's lock.
#pragma once

#include "base/list.hpp"
#include "heap/bin.hpp"
#include "heap/segment_map.hpp"

namespace abut::heap {

class LocalHeap;

// Of a granule in a size page.
enum class BlockState : uint8_t {
  none,      // no live block begins here: it is free, or the inside of a block
  live,      // a block that the program has
  returning, // freed by another thread, on its way to the owner
  stray,     // freed by another thread and taken out of the inbox of an owner that does nothing
};

struct alignas(kLineBytes) SizePage {
  static constexpr size_t kHeaderBytes = kUnitBytes / Granules::kBytes;

  // What malloc and free look at, on one line.
  LocalHeap *owner = nullptr; // null while the page is no heap's
  Block *free = nullptr;      // blocks to hand out
  uint32_t frees_left = 0;    // until the owner has to look at the page
  uint32_t block_bytes = 0;

  // The rest is written under the heap's lock, or by the owner while it allocates from the page.
  uint32_t live_then = 0; // blocks that are live when no frees are left
  uint32_t next =
      0; // offset of the first block that was not looked at since the owner began with the page
  uint32_t end = 0;           // offset behind the last block
  uint32_t touched = 0;       // offset behind the last block that was ever handed out
  uint32_t strays = 0;        // blocks of that state
  uint32_t linked_blocks = 0; // at a time
  uint32_t capacity = 0;      // blocks
  bool is_current = false;
  bool is_listed = false; // among those with free blocks
  Link<SizePage> by_room;
  Link<SizePage> by_strays;

  static SizePage *of(Address address) {
    return reinterpret_cast<SizePage *>(address & ~(Address{kUnitBytes} - 1));
  }

  // A block that the owner's thread holds changes its state by no one else: a plain load, which can be an operand.
  BlockState state_of(Address block) const {
    const uint8_t &state = states()[index_of(block)];
#if defined(__SANITIZE_THREAD__)
    return static_cast<BlockState>(
        std::atomic_ref(const_cast<uint8_t &>(state)).load(std::memory_order_relaxed));
#else
    return static_cast<BlockState>(state);
#endif
  }
  void set_state(Address block, BlockState state) {
    std::atomic_ref(states()[index_of(block)])
        .store(static_cast<uint8_t>(state), std::memory_order_relaxed);
  }
  // The state it had before, for one of two threads that free a block at once.
  BlockState exchange_state(Address block, BlockState state) {
    return static_cast<BlockState>(
        std::atomic_ref(states()[index_of(block)]).exchange(static_cast<uint8_t>(state)));
  }

  Address address_of(uint32_t offset) const { return reinterpret_cast<Address>(this) + offset; }

  // The block around an address of the page; zero if there is none, live or not.
  Address block_around(Address address) const {
    const auto offset = static_cast<uint32_t>(address % kUnitBytes);
    if (offset < kHeaderBytes || offset >= end) return 0;
    return address - (offset - kHeaderBytes) % block_bytes;
  }

  // Calls `visit(Address)` for each place of a block, in order.
  template <class Visit>
  void each_place(Visit visit) const {
    for (uint32_t offset = kHeaderBytes; offset < end; offset += block_bytes)
      visit(address_of(offset));
  }

private:
  static size_t index_of(Address block) {
    uint64_t offset = static_cast<uint16_t>(block);
    __asm__("" : "+r"(offset)); // compilers shift first and mask then, which takes one more
    return offset / Granules::kBytes;
  }
  static_assert(kUnitBytes == size_t{1} << 16);
  uint8_t *states() { return reinterpret_cast<uint8_t *>(this); }
  const uint8_t *states() const { return reinterpret_cast<const uint8_t *>(this); }
};
static_assert(sizeof(SizePage) <= SizePage::kHeaderBytes / Granules::kBytes);

// The size page around an address; null if there is none. One that is no heap's has no owner.
inline SizePage *size_page_at(Address address) {
  return segment_map.kind_at(address) == SegmentKind::size_pages ? SizePage::of(address) : nullptr;
}
inline SizePage *size_page_at(const void *memory) {
  return size_page_at(reinterpret_cast<Address>(memory));
}

} // namespace abut::heap
