// Blocks of one heap in size order: each size class has pages of its own, filled in the order of their
// addresses.
//
// A class allocates from one page, its current page, through a cursor: up to 64 neighbouring blocks, and a bit for each that is
// free. The owner takes the lowest bit. When none is left, the cursor goes on to the next 64 of the page, whose free ones
// are found by their states. So new blocks lie in ascending order, in fresh memory without a gap, in used memory in what
// has been freed.
//
// Policy:
//   1. A class's first blocks lie in birth order (birth_heap.hpp): a page of its own would cost a small heap too much.
//   2. Medium blocks that were freed last come first: the one below the cursor where it is free again; one of another page, where
//      the cursor has none left; and else the lowest free ones of the whole page.
//   3. Small ones come in sequence. When an eighth of the cursor's blocks was freed by the time that all are handed out, it has
//      those again, so that the short-lived stay in the first-level cache. Else it goes on through a window of the page: at
//      first some 4 KiB. At its end, if an eighth was freed meanwhile, it begins again. Else the window grows, to twice the size
//      for each page that the class has filled.
//   4. At the end of the page the same question decides whether the cursor begins again with it. Else the next page is one
//      of which a part has been freed since, the one that became so first; else a new one.
//   5. A page without a live block goes back to the store, for any class, unless it is current. Where half of a page could go
//      back to the kernel, because its 4 KiB have no part of a live block, and it has been left alone, that half does.
#pragma once

#include "heap/live_blocks.hpp"

#include <algorithm>

namespace abut::heap {

// Up to 64 blocks that a class allocates from: as many as fit 4 KiB at first, later 32 KiB.
struct alignas(2 * Granules::kBytes) Cursor {
  uint64_t free = 0;       // a bit a block
  Address base = 0;        // of the first
  State *states = nullptr; // of the first
  uint64_t bytes = 0;      // of a block; of small ones they are known without one, too
};
static_assert(sizeof(Cursor) ==
              2 * Granules::kBytes); // so that a size leads to its cursor without a shift

// The lowest bit's index; false if none is set. In one instruction, which compilers take three for.
[[gnu::always_inline]] inline bool find_first(uint64_t bits, uint64_t &index) {
  bool none = false;
  __asm__("bsf %2, %1" : "=@ccz"(none), "=r"(index) : "r"(bits));
  return !none;
}

// Without the bit `index`: in one instruction, which compilers take two for.
[[gnu::always_inline]] inline uint64_t without(uint64_t bits, uint64_t index) {
  __asm__("btr %1, %0" : "+r"(bits) : "r"(index) : "cc");
  return bits;
}

// A look at the heap's pages, now and then: for frees that the counts missed, and for what can go back to the kernel.
struct Look {
  uint64_t most;        // pages of each list
  uint64_t to_thin_out; // pages at most
  uint64_t idle_since;  // milliseconds: pages are thinned out that have had room since then
};

class SizeHeap {
public:
  void open(LocalHeap *owner);

  // ---- the owner's fast paths: no lock ----

  // The next block at a class's cursor, or null.
  [[gnu::always_inline]] void *take(unsigned size_class) { return take_at(cursors_[size_class]); }

  // A small request's cursor, which is not tiny.
  [[gnu::always_inline]] Cursor &cursor_for(size_t bytes) {
    const size_t whole = round_up(bytes, Granules::kBytes);
    return *reinterpret_cast<Cursor *>(reinterpret_cast<char *>(cursors_) + whole * 2);
  }
  [[gnu::always_inline]] void *take_small(size_t bytes) { return take_at(cursor_for(bytes)); }
  // The same cursor, in one instruction less where the heap's address is at hand.
  [[gnu::always_inline]] Cursor &cursor_from_here(size_t bytes) {
    const Address first = reinterpret_cast<Address>(cursors_);
    return *reinterpret_cast<Cursor *>(round_up(first + 2 * bytes, sizeof(Cursor)));
  }
  [[gnu::always_inline]] static void *take_at(Cursor &cursor) {
    const uint64_t free = cursor.free;
    uint64_t index = 0;
    if (!find_first(free, index)) [[unlikely]]
      return nullptr;
    cursor.free = without(free, index);
    return hand_out(cursor, index);
  }

  // For a medium request: the next block, or the one below it where that is free again.
  [[gnu::always_inline]] void *take_medium(unsigned size_class) {
    Cursor *cursor = cursors_ + size_class;
    __asm__("" : "+r"(cursor)); // so that it is computed once
    return take_below(*cursor);
  }

  // The next one of the current page; or null, as it is now and then in any case, so that the owner looks at the clock.
  void *take_next(size_t bytes);

  // Where the next block of a small class will lie, more or less; zero if none is at hand.
  Address front(unsigned size_class) const {
    const Cursor &cursor = cursors_[size_class];
    uint64_t index = 0;
    return find_first(cursor.free, index) ? cursor.base + index * cursor.bytes : 0;
  }

  bool reads_as_zero(unsigned size_class) const { return classes_[size_class].reads_as_zero; }

  // Whether a block of one of its pages was certainly handed out since the page came. For messages.
  bool has_handed_out(const Page &page, uint32_t block) const;

  // ---- under the heap's lock, for the owner or with the owner gone ----

  // Leads the cursor to another page; false where memory is exhausted.
  bool refill(unsigned size_class);

  // Has no current pages any more.
  void close();

  // Whether a page that is not current has room.
  bool has_room(unsigned size_class) const { return !classes_[size_class].with_room.empty(); }

  // ---- under the heap's lock, for any thread ----

  // After free_block() refused: frees the block, and puts its page where it belongs.
  void free_last(LiveBlock block);

  // True where more is to be thinned out.
  bool look_at_pages(Look look);

  // Has the next step of a cursor's take the slow path.
  void look_at_the_clock_soon() { visits_ = kVisitsToLook - 1; }

  // Bytes of the pages that the heap holds, but for each class's first: a small program uses little of those. For the owner.
  size_t bytes() const {
    const size_t held = bytes_.load(std::memory_order_relaxed);
    return held - std::min(held, first_bytes_);
  }

  // How often the owner has come to memory that another thread may have freed.
  uint32_t sweeps() const { return sweeps_; }

private:
  // Steps of the cursor between two looks at the clock: a slow program gives memory back, too.
  static constexpr uint32_t kVisitsToLook = 16;
  using ByRoom = List<Page, &Page::link>;

  struct Class {
    Page *page = nullptr;     // the current one
    Page *other = nullptr;    // that the cursor has a block of, see give_to_cursor()
    uint32_t next = 0;        // block to go on with
    uint32_t end = 0;         // of the window
    uint32_t again = 0;       // blocks handed out again in this pass
    uint32_t blocks = 0;      // of a page
    uint32_t bytes = 0;       // of a block
    uint32_t step_blocks = 1; // blocks for the cursor at a time
    uint64_t step = 0;        // the same, a bit each
    uint32_t window = 0;      // bytes, in the next fresh page
    uint32_t pages = 0;       // of all blocks
    uint8_t passes = 0;       // through a window that was free again, up to where the class is busy
    bool is_done = false;     // with the page: all of it was handed out
    bool is_large = false;    // it was, since a thread has the heap
    bool reads_as_zero = false; // what the cursor has was never handed out
    ByRoom with_room;
  };

  [[gnu::always_inline]] static void *hand_out(const Cursor &cursor, uint64_t index) {
    std::atomic_ref(cursor.states[index]).store(kLive, std::memory_order_relaxed);
    const Address block = cursor.base + index * cursor.bytes;
    if (block == 0) __builtin_unreachable();
    return reinterpret_cast<void *>(block);
  }
  // What was freed last is likely to be still in the cache. Without a branch, which would often be mispredicted. There is always
  // a block below: the first of a page is handed out when the cursor is led there.
  [[gnu::always_inline]] static void *take_below(Cursor &cursor) {
    const uint64_t free = cursor.free;
    uint64_t index = 0;
    if (!find_first(free, index)) [[unlikely]]
      return nullptr;
    index -=
        load_plainly(cursor.states[index - 1]) < kNoBlock + 1; // one instruction less than by ==
    cursor.free = without(free, index);
    return hand_out(cursor, index);
  }

  [[gnu::always_inline]] static inline uint64_t free_of_step(const Class &one, uint32_t at);
  [[gnu::always_inline]] inline void lead_to(unsigned size_class, uint32_t at, uint64_t free);
  [[gnu::always_inline]] static inline uint32_t frees_in_pass(const Class &one);
  [[gnu::always_inline]] inline bool repeat(unsigned size_class);
  inline bool advance_lowest(unsigned size_class);
  // Leads the cursor on within the current page; false if that has no free block any more.
  [[gnu::always_inline]] inline bool advance(unsigned size_class);
  bool turn(Class &one);
  static bool freed_part_of(const Class &one, uint32_t blocks);
  static void set_step(Class &one);
  static bool count_pass(Class &one);
  static void begin_pass(Class &one);
  static void extend_window(Class &one);
  Page *add_page(unsigned size_class);
  void enter(unsigned size_class, Page *page);
  static LiveBlocks live_in_current(const Class &one);
  void leave(unsigned size_class);
  void file(Page *page, const LiveBlocks &live);
  void file_empty(Page *page);
  void file_used(Page *page, const LiveBlocks &live);
  void count_pages(unsigned size_class, uint32_t pages);
  void give_back_page(Page *page);
  bool give_to_cursor(LiveBlock block, Page *page);
  ByRoom &list_of(const Page &page);
  void look_at(Page *page, const LiveBlocks &live);
  void look_at_some(ByRoom &pages, Look &look);
  bool is_idle(const Page &page, const LiveBlocks &live, const Look &look) const;
  static bool thin_out(Page &page, const LiveBlocks &live);

  // First, so that malloc finds a size's cursor at the heap's own address.
  Cursor cursors_[kSizeClasses];
  Class classes_[kSizeClasses];
  ByRoom full_; // pages of all classes with too little room
  LocalHeap *owner_ = nullptr;
  uint32_t sweeps_ = 0;
  uint32_t visits_ = 0;
  std::atomic<size_t> bytes_{0};
  size_t first_bytes_ = 0; // of classes' first pages
};

} // namespace abut::heap
