// The cursors of a heap in size order, each through the current page of its class.
#include "heap/size_heap.hpp"

#include <algorithm>
#include <utility>

namespace abut::heap {
namespace {

constexpr unsigned kAtOnce = kStatesAtOnce; // blocks of a cursor

// Of a class's first page so much is used before the cursor looks whether to begin again.
constexpr uint32_t kFirstWindow = 4 * KiB;

// How many of the 64 blocks the cursor has at a time: those of 4 KiB at first, of 32 KiB once the class is busy. With more of the
// larger ones, more would be handed out from behind the caches before the cursor looks what was freed.
constexpr uint32_t blocks_in_step(uint32_t bytes, bool is_busy) {
  const uint32_t stretch = is_busy ? 8 * kFirstWindow : kFirstWindow;
  return std::bit_floor(std::clamp(stretch / bytes, is_busy ? 4U : 2U, kAtOnce));
}
// A class is busy after so many passes through a window, and where its window is longer than this.
constexpr uint8_t kBusyPasses = 200;
constexpr uint32_t kLongWindow = 16 * KiB;
constexpr uint32_t whole_steps(uint32_t blocks, uint32_t step) { // a power of two
  return (blocks + step - 1) & ~(step - 1);
}
// Of a page of medium blocks that has been used the cursor has so many free ones at a time.
constexpr unsigned kLowest = 4;
// The cursor begins again with its blocks, or with a window, where one in so many was freed meanwhile.
constexpr uint32_t kFreedPart = 8;

// The lowest bits, kLowest of them.
[[gnu::always_inline]] inline uint64_t lowest_of(uint64_t bits) {
  uint64_t rest = bits;
#pragma GCC unroll 4
  for (unsigned i = 0; i < kLowest; ++i) rest &= rest - 1;
  return bits ^ rest;
}

// An address behind the last block has a state, too.
constexpr bool have_states_behind() {
  for (unsigned i = 1; i < kSizeClasses; ++i) {
    const ClassMeasures &one = kMeasures[i];
    for (const uint32_t pages : {1U, kLongPage}) {
      const uint32_t blocks = pages == 1 ? one.blocks : one.blocks_of_long();
      if (blocks * one.bytes != pages * kBlockPageBytes && blocks % kAtOnce == 0) return false;
    }
  }
  return true;
}
static_assert(have_states_behind());

// Each block of a page of medium ones has a bit, and one is left over.
static_assert(std::ranges::all_of(kMeasures, [](const ClassMeasures &one) {
  const bool is_long = long_pages(one.bytes) == LongPages::always;
  return one.bytes <= kSmallMax || (is_long ? one.blocks_of_long() : one.blocks) < kAtOnce;
}));

} // namespace

void SizeHeap::open(LocalHeap *owner) {
  owner_ = owner;
  for (unsigned one = 1; one <= kSmallClasses; ++one) cursors_[one].bytes = class_bytes(one);
}

// The free ones of the blocks from `at` on that the cursor has at a time: of the 64 among which they are, a bit each.
inline uint64_t SizeHeap::free_of_step(const Class &one, uint32_t at) {
  return free_blocks(one.page->states + at / kAtOnce * kAtOnce) & one.step << at % kAtOnce;
}

inline void SizeHeap::lead_to(unsigned size_class, uint32_t at, uint64_t free) {
  const Class &one = classes_[size_class];
  const uint32_t word = at / kAtOnce * kAtOnce;
  sweeps_ += !one.reads_as_zero;
  cursors_[size_class] = {free, one.page->begin + word * one.bytes, one.page->states + word,
                          one.bytes};
}

// Frees of the current page's blocks since the pass began.
inline uint32_t SizeHeap::frees_in_pass(const Class &one) {
  const Page *page = one.page;
  uint32_t frees = kNever - static_cast<uint32_t>(load_plainly(page->frees_left));
  if (!page->is_long) return frees;
#pragma GCC unroll 4
  for (uint32_t i = 1; i < kLongPage; ++i)
    frees += kNever - static_cast<uint32_t>(load_plainly(page[i].frees_left));
  return frees;
}

// Whether, since the pass began, a part of so many blocks was freed and not yet handed out again. Frees that were not counted may
// make it say so wrongly, which costs a look.
inline bool SizeHeap::freed_part_of(const Class &one, uint32_t blocks) {
  return (frees_in_pass(one) - one.again) * kFreedPart >= blocks;
}

// Has the cursor's blocks again, if enough of them were freed meanwhile: what is short-lived stays in the first-level cache.
inline bool SizeHeap::repeat(unsigned size_class) {
  Class &one = classes_[size_class];
  if (one.next == 0 || !freed_part_of(one, one.step_blocks)) return false;
  const uint32_t at = one.next - one.step_blocks;
  const uint64_t all = one.step << at % kAtOnce;
  const uint64_t free = free_of_step(one, at);
  const uint32_t freed = free == all ? one.step_blocks : static_cast<uint32_t>(std::popcount(free));
  if (freed * kFreedPart < one.step_blocks) return false;
  if (count_pass(one)) { // its steps are others now
    begin_pass(one);
    return false;
  }
  one.again += freed;
  one.reads_as_zero = false;
  ++sweeps_;
  cursors_[size_class].free = free;
  return true;
}

// Leads the cursor to the lowest free blocks of a page of medium ones, which has a bit for each: what is freed comes back soon.
inline bool SizeHeap::advance_lowest(unsigned size_class) {
  Class &one = classes_[size_class];
  if (one.page == nullptr) return false;
  store_released<Page *>(one.other, nullptr); // the cursor has handed out what it had
  Page &page = *one.page;
  const uint64_t free = free_blocks(page.states);
  if (free == 0) return false;
  const auto lowest = static_cast<uint32_t>(std::countr_zero(free));
  const bool is_fresh = lowest >= page.touched; // and so is all behind it
  if (!is_fresh) count_pass(one);
  // Only a busy class goes on into fresh memory before all else is used.
  const uint64_t used = one.passes == kBusyPasses ? free : free & ~(~uint64_t{0} << page.touched);
  const uint64_t taken = is_fresh ? free & one.step << lowest : lowest_of(used);
  one.reads_as_zero = is_fresh && page.is_clean;
  page.touched = std::max(page.touched, static_cast<uint32_t>(std::bit_width(taken)));
  lead_to(size_class, 0, taken);
  return true;
}

// Leads the cursor to the next free blocks of the window, and the window on. Whoever asks takes the first of them at once.
inline bool SizeHeap::advance(unsigned size_class) {
  Class &one = classes_[size_class];
  if (one.bytes > kSmallMax) return advance_lowest(size_class);
  if (repeat(size_class)) return true;
  do {
    while (one.next < one.end) {
      Page &page = *one.page;
      const uint32_t at = one.next;
      one.next = at + one.step_blocks;
      // What was never handed out is free, and there is no need to look.
      const bool is_fresh = at >= page.touched && one.next <= one.blocks;
      const uint64_t free = is_fresh ? one.step << at % kAtOnce : free_of_step(one, at);
      one.reads_as_zero = at >= page.touched && page.is_clean;
      page.touched = std::max(page.touched, std::min(one.next, one.blocks));
      if (free == 0) continue;
      lead_to(size_class, at, free);
      return true;
    }
  } while (turn(one));
  return false;
}

void *SizeHeap::take_next(size_t bytes) {
  const unsigned one = abut::heap::size_class(bytes);
  // All threads without a heap share one that is empty, and must not be written to.
  if (classes_[one].page == nullptr) return nullptr;
  if (++visits_ % kVisitsToLook == 0 || !advance(one)) return nullptr;
  return take(one);
}

[[gnu::noinline]] void SizeHeap::set_step(Class &one) {
  one.step_blocks =
      blocks_in_step(one.bytes, one.passes == kBusyPasses || one.window > kLongWindow);
  one.step = ~uint64_t{0} >> (kAtOnce - one.step_blocks);
  one.end = whole_steps(one.end, one.step_blocks);
}

// Whether the class is busy from this pass on.
inline bool SizeHeap::count_pass(Class &one) {
  if (one.passes == kBusyPasses || ++one.passes < kBusyPasses) [[likely]]
    return false;
  set_step(one);
  return true;
}

void SizeHeap::begin_pass(Class &one) {
  one.next = one.again = 0;
  count_frees(*one.page, kNever);
}

// At the window's end: begins again, or makes it longer. False at the page's end, where the class is done with it.
bool SizeHeap::turn(Class &one) {
  if (one.page == nullptr || one.is_done) return false;
  if (freed_part_of(one, one.end)) {
    count_pass(one);
    begin_pass(one);
    return true;
  }
  if (one.end < one.blocks) {
    extend_window(one);
    return true;
  }
  one.is_done = true;
  one.next = one.end = 0;
  return false;
}

void SizeHeap::extend_window(Class &one) {
  one.end += std::max(whole_steps(one.window / one.bytes, one.step_blocks), one.step_blocks);
  if (one.end > one.blocks) one.end = whole_steps(one.blocks, one.step_blocks);
}

void SizeHeap::enter(unsigned size_class, Page *page) {
  Class &one = classes_[size_class];
  if (page->has_room) one.with_room.remove(page);
  page->has_room = false;
  page->is_current = true;
  one.page = page;
  one.bytes = page->block_bytes();
  one.blocks = page->blocks();
  one.end = 0;
  if (one.window == 0) first_bytes_ += page->pages() * kBlockPageBytes;
  set_step(one);
  begin_pass(one);
  one.window = std::max(one.window, kFirstWindow);
  extend_window(one);
  one.end = std::max(one.end, page->touched);
  one.window = std::min<uint32_t>(2 * one.window, page->pages() * kBlockPageBytes);
}

bool SizeHeap::refill(unsigned size_class) {
  if (advance(size_class)) return true;
  if (classes_[size_class].page != nullptr) leave(size_class);
  Page *page = classes_[size_class].with_room.front();
  if (page == nullptr) page = add_page(size_class);
  if (page == nullptr) return false;
  enter(size_class, page);
  return advance(size_class) || refill(size_class);
}

LiveBlocks SizeHeap::live_in_current(const Class &one) {
  Page &page = *one.page;
  if (one.bytes > kSmallMax)
    return free_blocks(page.states) == 0 ? all_but(0, page) : counted(page);
  // Of a page that is done all blocks have been handed out, each once, and some freed since: where of a long one is not known.
  const uint32_t freed = frees_in_pass(one) - one.again;
  const bool is_known = one.is_done && freed < one.blocks && (freed == 0 || !page.is_long);
  return is_known ? all_but(freed, page) : counted(page);
}

void SizeHeap::leave(unsigned size_class) {
  Class &one = classes_[size_class];
  const LiveBlocks live = live_in_current(one);
  Page *page = std::exchange(one.page, nullptr);
  const Cursor &cursor = cursors_[size_class];
  if (cursor.free != 0 && one.other == nullptr)
    page->left_from =
        std::min(page->left_from, block_at(*page, cursor.base) +
                                      static_cast<uint32_t>(std::countr_zero(cursor.free)));
  page->is_current = false;
  file(page, live);
  cursors_[size_class].free = 0;
  one.is_done = false;
  one.next = one.end = 0;
  if (Page *other = std::exchange(one.other, nullptr)) look_at(other, counted(*other));
}

bool SizeHeap::has_handed_out(const Page &page, uint32_t block) const {
  const Cursor &cursor = cursors_[page.size_class];
  const Address behind_base = block_address(page, block) - load_plainly(cursor.base);
  const uint64_t index = behind_base / page.block_bytes();
  const bool is_at_cursor = index < kAtOnce && (load_plainly(cursor.free) >> index & 1) != 0;
  return block < std::min(load_plainly(page.touched), page.left_from) && !is_at_cursor;
}

} // namespace abut::heap
