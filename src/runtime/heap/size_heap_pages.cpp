// The pages of a heap in size order: new ones, where those belong that the cursors are done with, and back to the store.
#include "heap/size_heap.hpp"

#include "heap/current.hpp"
#include "heap/events.hpp"
#include "heap/local_heap.hpp"
#include "heap/page_store.hpp"

#include <algorithm>
#include <utility>

namespace abut::heap {
namespace {

// Of a page so much must be free before the heap allocates from it again. Less would scatter new blocks between old ones, and
// have the heap change pages too often, which costs most where a page has few blocks; more would leave too much unused. Of a
// long page less: each of its pages counts by itself.
uint32_t free_enough(const Page &page) {
  const uint32_t part = page.is_long ? 32 : page.block_bytes() > kSmallMax ? 8 : 16;
  return (page.blocks() + part - 1) / part;
}

// A class with so many pages is large.
constexpr uint32_t kLargePages = 16;

// A page is thinned out where one in so many of its 4 KiB can go back.
constexpr uint32_t kThinPart = 2;

// Bytes from the page's beginning on that the cursor has had: they may have been written to.
size_t written_bytes(const Page &page) { return page.touched * page.block_bytes(); }

} // namespace

Page *SizeHeap::add_page(unsigned size_class) {
  const ClassMeasures &one = kMeasures[size_class];
  const LongPages use = long_pages(one.bytes);
  const bool is_long =
      use == LongPages::always || (use == LongPages::once_large && classes_[size_class].is_large);
  const uint32_t pages = is_long ? kLongPage : 1;
  const uint32_t blocks = is_long ? one.blocks_of_long() : one.blocks;
  const auto [page, clean, states] = size_pages.take(owner_, {pages}, whole_states(blocks));
  if (page == nullptr) return nullptr;
  PageSegment *segment = PageSegment::of(*page);
  const unsigned index = segment->index_of(*page);
  std::fill(states, states + blocks, kNoBlock);
  std::fill(states + blocks, states + whole_states(blocks), kNoPlace);
  page->is_long = is_long;
  page->left_from = blocks;
  for (unsigned i = 0; i < pages; ++i) {
    page[i].size_class = static_cast<uint8_t>(size_class);
    page[i].begin = segment->address_of(index);
    page[i].reciprocal = one.reciprocal;
    store_released(page[i].states, states);
  }
  count_pages(size_class, pages);
  events.grown.report(owner_->held_bytes());
  return page;
}

// Fewer, where they wrap around.
void SizeHeap::count_pages(unsigned size_class, uint32_t pages) {
  Class &one = classes_[size_class];
  one.pages += pages;
  one.is_large |= one.pages >= kLargePages;
  bytes_.store(bytes_.load(std::memory_order_relaxed) +
                   static_cast<int32_t>(pages) * kBlockPageBytes,
               std::memory_order_relaxed);
}

SizeHeap::ByRoom &SizeHeap::list_of(const Page &page) {
  return page.has_room ? classes_[page.size_class].with_room : full_;
}

// Puts a page that has live blocks, is not current, and on no list, where it belongs, and counts the frees until it belongs
// elsewhere.
inline void SizeHeap::file_used(Page *page, const LiveBlocks &live) {
  const auto most = static_cast<int32_t>(page->blocks() - free_enough(*page));
  const bool had_room = page->has_room;
  page->has_room = live.total <= most;
  if (page->has_room && !had_room) {
    page->room_since = owner_->now();
    page->live_to_thin_out = static_cast<int32_t>(page->blocks() / kThinPart);
  }
  if (page->has_room)
    await_empty(*page, live);
  else
    await_room(*page, live, live.total - most);
  list_of(*page).push_back(page);
}

// Gives back a page that was counted as empty. Since then its owner may have handed out, without a lock, the block that
// give_to_cursor() gave it.
[[gnu::noinline]] void SizeHeap::file_empty(Page *page) {
  if (page->block_bytes() <= kSmallMax) return give_back_page(page);
  std::atomic_ref other(classes_[page->size_class].other);
  const bool is_at_cursor = other.load(std::memory_order_acquire) == page;
  const LiveBlocks live = counted(*page);
  if (live.total == 0 && !is_at_cursor) return give_back_page(page);
  file_used(page, live);
}

void SizeHeap::file(Page *page, const LiveBlocks &live) {
  if (live.total == 0) return file_empty(page);
  file_used(page, live);
}

void SizeHeap::give_back_page(Page *page) {
  const uint32_t pages = page->pages();
  count_pages(page->size_class, -pages);
  size_pages.give_back(page, pages, written_bytes(*page));
}

// Where a page has few blocks, each free of one gives it room, and to go there for one block takes a thousand instructions. So
// where the cursor of a medium class has none left, it gets the block that its thread frees. The page counts it as live, and
// stays where it is. Not a page's first: take_below() looks at the one before.
[[gnu::noinline]] bool SizeHeap::give_to_cursor(LiveBlock block, Page *page) {
  Class &one = classes_[page->size_class];
  Cursor &cursor = cursors_[page->size_class];
  const auto index = static_cast<uint64_t>(block.state - page->states);
  if (owner_ != current || one.page == nullptr || cursor.free != 0 || page->has_room || index == 0)
    return false;
  std::atomic_ref(block.page->frees_left).store(1, std::memory_order_relaxed);
  one.reads_as_zero = false;
  ++sweeps_;
  store_released(one.other, page);
  cursor = {uint64_t{1} << index, page->begin, page->states, one.bytes};
  return true;
}

void SizeHeap::free_last(LiveBlock block) {
  Page *page = block.page->head();
  store_released(*block.state, kNoBlock);
  if (page->is_current) return count_frees(*page, kNever);
  if (page->block_bytes() > kSmallMax && give_to_cursor(block, page)) return;
  const LiveBlocks live = not_yet_freed(*page);
  if (page->has_room && live.total > 0) return await_empty(*page, live);
  list_of(*page).remove(page);
  file(page, live);
}

// Puts a page that is on a list where its states say.
void SizeHeap::look_at(Page *page, const LiveBlocks &live) {
  list_of(*page).remove(page);
  file(page, live);
}

// Whether a page has had room for long, and few enough live blocks. Nobody allocates from it meanwhile.
bool SizeHeap::is_idle(const Page &page, const LiveBlocks &live, const Look &look) const {
  return page.has_room && page.room_since <= look.idle_since && live.total != 0 &&
         live.total <= page.live_to_thin_out &&
         load_plainly(classes_[page.size_class].other) != &page;
}

// Gives back the 4 KiB that have no part of a live block; false where they are few. Again when a quarter fewer are live: what is
// freed by and by goes back, too, and seldom for nothing.
bool SizeHeap::thin_out(Page &page, const LiveBlocks &live) {
  page.live_to_thin_out = live.total - (live.total + 3) / 4;
  const uint32_t written = Pages::holding(written_bytes(page)).n;
  uint64_t free = without_live(page) & ~uint64_t{0} >> (64 - written);
  if (static_cast<uint32_t>(std::popcount(free)) * kThinPart < written) return false;
  {
    std::lock_guard guard(size_pages.lock());
    size_pages.refuse_huge_pages(PageSegment::of(page));
  }
  while (free != 0) {
    const int first = std::countr_zero(free);
    const int count = std::countr_one(free >> first);
    auto *memory = reinterpret_cast<void *>(page.begin + static_cast<size_t>(first) * kPageBytes);
    static_cast<void>(os::discard(memory, static_cast<size_t>(count) * kPageBytes));
    free &= ~(~uint64_t{0} >> (64 - count) << first);
  }
  return true;
}

void SizeHeap::look_at_some(ByRoom &pages, Look &look) {
  Page *const last = pages.back();
  uint64_t left = look.most;
  for (Page *page = pages.front(); page != nullptr && left > 0 && look.to_thin_out > 0; --left) {
    Page *next = page == last ? nullptr : ByRoom::after(page);
    const LiveBlocks live = counted(*page);
    if (is_idle(*page, live, look) && thin_out(*page, live))
      look.to_thin_out -= std::min<uint64_t>(look.to_thin_out, page->pages());
    look_at(page, live);
    page = next;
  }
}

bool SizeHeap::look_at_pages(Look look) {
  look_at_some(full_, look);
  for (Class &one : classes_) look_at_some(one.with_room, look);
  return look.to_thin_out == 0;
}

void SizeHeap::close() {
  for (unsigned one = 1; one < kSizeClasses; ++one) {
    Class &closed = classes_[one];
    Page *page = closed.page;
    if (page != nullptr) leave(one);
    // Whoever has the heap next goes on where it ended: in that memory, which may still be in the caches.
    if (page != nullptr && closed.with_room.back() == page) {
      closed.with_room.remove(page);
      closed.with_room.push_front(page);
    }
    closed.window = 0;
    closed.is_large = false;
  }
  first_bytes_ = 0;
}

} // namespace abut::heap
