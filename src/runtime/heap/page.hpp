// A page: 64 KiB of blocks, owned by one heap.
//
// A size page holds blocks of one size, side by side; block n begins at n times the size, so that a power of two is
// aligned to itself. A byte for each says whether it is live. These states lie elsewhere, side by side (state_slots.hpp): a
// page is blocks from its first byte to its last. Were its first 2 KiB states, AMD's Zen 5 would walk a list of
// neighbouring blocks at a quarter of the speed, because its prefetching does not outlive a gap of that length every
// 64 KiB; up to 300 bytes it takes no harm.
//
// An address is a live block's if its offset is a multiple of the size, and the state there says so. One multiplication
// tells both which block it is and whether it is a multiple (Lemire, Kaser and Kurz 2019): so every bad free is found,
// whatever the program wrote to the block. To free a block is to clear its state. That takes no lock, writes nothing to the
// block, and any thread may do it; nothing is linked, and nothing comes back to the owner. Free blocks are found by their
// states, 64 at a time, when the owner needs some (size_heap.hpp).
//
// Larger blocks have long pages, four in a row. The first, the head, stands for all four, but that a free counts in the
// page in which its block begins. A large block has a row of pages that no heap owns (large_blocks.hpp).
//
// Pages are described apart from their memory, side by side at the beginning of their segment: page descriptions at one place
// of each page would share one set of the first-level cache. Each has two lines, of which it needs one: processors fetch lines
// in pairs, and every free writes to its page's description, so pages of two threads would take the pair from each other.
#pragma once

#include "base/list.hpp"
#include "heap/segment_map.hpp"
#include "heap/state_slots.hpp"

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

using State = uint8_t;
inline constexpr State kNoBlock = 0, kLive = 1;
// Where no block can lie: behind the last.
inline constexpr State kNoPlace = 0xfe;

struct alignas(kLinePairBytes) Page {
  // What free() looks at.
  Address begin;       // of the page, or its head; or of a large block
  uint64_t reciprocal; // 2^64 over the size, rounded up; zero in a page that is no heap's
  State *states;       // or cells, of a birth page
  // Until the page is due for the slow path; of blocks, or of granules in a birth page. Threads that free at once may count
  // one for two: it is a hint, see SizeHeap::look_at_pages().
  int32_t frees_left;

  // Written under the owner's lock, or by the owner while it allocates from the page.
  int32_t live_then; // blocks that begin here and are live when no frees are left
  LocalHeap *owner;
  Link<Page> link; // among the owner's pages with room, or those without
  // Blocks, or granules, from the page's beginning on that were handed out since it came; or a large block's bytes.
  uint32_t touched;
  uint8_t size_class;  // zero: a birth page
  uint8_t behind_head; // pages from the head to this one
  bool is_long;        // this is the head of four
  bool is_current;     // the owner allocates from it, and alone knows what is free
  bool has_room;       // is on the list of those
  bool is_clean;       // what was never touched reads as zero
  // Bytes of a large block's row, from its beginning on, that blocks before it wrote to.
  uint32_t written;

  // The first block that a cursor had when it was led away, and may never have handed out.
  uint32_t left_from;

  // Of a page with room: since when it has that, in milliseconds; and the most live blocks with which it is thinned out.
  int32_t live_to_thin_out;
  uint64_t room_since;

  Page *head() { return this - behind_head; }
  // Of a size page.
  const ClassMeasures &measures() const { return kMeasures[size_class]; }
  uint32_t block_bytes() const { return measures().bytes; }
  // Of a head.
  uint32_t pages() const { return is_long ? kLongPage : 1; }
  uint32_t blocks() const { return is_long ? measures().blocks_of_long() : measures().blocks; }
  // The first block that begins in one of its pages; or behind the last.
  uint32_t first_in(uint32_t index) const {
    return index == pages() ? blocks() : measures().firsts[index];
  }
};
static_assert(sizeof(Page) == kLinePairBytes);

// More frees than a page can see while it is current, but for those of blocks that are taken again.
inline constexpr int32_t kNever = 1 << 30;

// States of a page that is no heap's: no address finds a live block there, nor a live cell if the page was a birth page.
inline constinit State no_states[kBlockPageBytes / Granules::kBytes] = {kNoPlace};

// The page is no heap's any more.
inline void disown(Page &page) {
  store_released<LocalHeap *>(page.owner, nullptr);
  page.frees_left = 0;
  page.reciprocal = 0;
  store_released<uint32_t>(page.touched, 0);
  store_released<State *>(page.states, no_states);
}

// A segment of pages, all of one kind. The first places are taken by what describes the others: one of size pages, of birth
// pages four, whose cells lie there (birth_page.hpp).
struct PageSegment {
  static constexpr unsigned head_pages(SegmentKind kind) {
    return kind == SegmentKind::birth_pages ? 4 : 1;
  }
  // The places of pages, a bit each.
  static constexpr uint64_t all_of(SegmentKind kind) { return ~uint64_t{0} << head_pages(kind); }

  Page pages[kBlockPages];
  // Sets of pages, a bit each.
  uint64_t unused;
  uint64_t clean; // of the unused ones: all of it reads as zero
  uint64_t dirty; // of the unused ones: resident, to go back to the kernel
  uint64_t large; // a large block had them last
  Link<PageSegment> in_all;
  Link<PageSegment> by_room;
  Link<PageSegment> by_age;
  uint64_t freed_at; // milliseconds, when a page was last freed
  size_t mapped;     // bytes, from the beginning on
  bool refuses_huge_pages;
  // Of each page that is not clean, the 4 KiB that were ever written to.
  uint8_t resident[kBlockPages];
  StateSlots slots; // of size pages
  // Of each 4 KiB of a birth page that was cut into cells, what its cutter said of it; else zero.
  uint8_t labels[kBlockPages][kBlockPageBytes / kPageBytes];

  static PageSegment *of(Address address) {
    return reinterpret_cast<PageSegment *>(round_down(address, kSegmentBytes));
  }
  static PageSegment *of(const Page &page) { return of(reinterpret_cast<Address>(&page)); }
  // Of an address in a segment.
  static bool is_mapped(Address address) {
    return address % kSegmentBytes < load_plainly(of(address)->mapped);
  }
  static unsigned index_of(Address address) {
    return static_cast<unsigned>(address >> kBlockPageShift) % kBlockPages;
  }
  static Page &page_of(Address address) { return of(address)->pages[index_of(address)]; }
  unsigned index_of(const Page &page) const { return static_cast<unsigned>(&page - pages); }
  Address address_of(unsigned index) const {
    return reinterpret_cast<Address>(this) + (size_t{index} << kBlockPageShift);
  }
};
static_assert(kBlockPages == 64);
// It lies where the cells of the first places would be, at which no page is.
static_assert(sizeof(PageSegment) <= PageSegment::head_pages(SegmentKind::birth_pages) *
                                         kBlockPageBytes / Granules::kBytes);

// Where a block begins in a size page.
inline Address block_address(const Page &page, uint32_t block) {
  return page.begin + block * page.block_bytes();
}
// The block whose place an address lies in.
inline uint32_t block_at(const Page &page, Address address) {
  return static_cast<uint32_t>(address - page.begin) / page.block_bytes();
}

// A live block in a size page; or none.
struct LiveBlock {
  Page *page = nullptr;
  State *state = nullptr;

  explicit operator bool() const { return page != nullptr; }
};

// An offset over a size, whose reciprocal is given. There is no remainder where the fraction is less than that. Multiplied
// with the operand in memory, which compilers load first.
struct Quotient {
  uint64_t whole;
  uint64_t fraction; // over 2^64
};
[[gnu::always_inline]] inline Quotient quotient_by(const uint64_t &reciprocal, uint64_t offset) {
#if !defined(__SANITIZE_THREAD__)
  uint64_t whole = 0;
  __asm__("mulq %2" : "+a"(offset), "=d"(whole) : "m"(reciprocal) : "cc");
  return {whole, offset};
#else
  __extension__ using Product = unsigned __int128;
  const auto product = static_cast<Product>(offset) * load_plainly(reciprocal);
  return {static_cast<uint64_t>(product >> 64), static_cast<uint64_t>(product)};
#endif
}

// The one that begins at `address`, which lies in a size page.
[[gnu::always_inline]] inline LiveBlock live_block_in(Page &page, Address address) {
  const Quotient index = quotient_by(page.reciprocal, address - load_plainly(page.begin));
  State *state = load_plainly(page.states) + index.whole;
  if (index.fraction >= load_plainly(page.reciprocal) || load_plainly(*state) != kLive) [[unlikely]]
    return {};
  return {&page, state};
}
// The size page around an address, or null; null also where PageSegments does not know it.
[[gnu::always_inline]] inline Page *size_page_at(Address address) {
  const Address segment = page_segments.size_segment_at(address);
  if (segment == 0) return nullptr;
  Page *page = reinterpret_cast<PageSegment *>(segment)->pages + PageSegment::index_of(address);
  __asm__("" : "+r"(page)); // so that it is computed once
  if (page == nullptr) __builtin_unreachable();
  return page;
}
[[gnu::always_inline]] inline LiveBlock live_block(const void *memory) {
  const auto address = reinterpret_cast<Address>(memory);
  Page *page = size_page_at(address);
  return page != nullptr ? live_block_in(*page, address) : LiveBlock{};
}
// The same for any segment, see PageSegments.
inline LiveBlock live_block_anywhere(const void *memory) {
  const auto address = reinterpret_cast<Address>(memory);
  return segment_map.kind_at(address) == SegmentKind::size_pages
             ? live_block_in(PageSegment::page_of(address), address)
             : LiveBlock{};
}

// Frees it; false if the page is due for the slow path: then only the count is done. Nothing of the page may be
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

// Whether the page is due for the slow path.
inline bool is_due(LiveBlock block) { return load_plainly(block.page->frees_left) <= 0; }

// The page around an address of a size page, or birth page, its head if it is long; null if there is none, or it is no heap's.
Page *page_at(Address address);

} // namespace abut::heap
