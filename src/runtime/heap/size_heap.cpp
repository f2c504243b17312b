#include "heap/size_heap.hpp"

#include "heap/local_heap.hpp"

namespace abut::heap {

constinit SizePage no_size_page;

namespace {

// So many bytes of a size lie in birth order before it gets a page.
constexpr size_t kBirthBytes = 2 * KiB;
constexpr size_t kFewestBirths = 4, kMostBirths = 32;

// What is linked up at a time in a size's first page: so little that a small heap touches no memory in vain. In each
// further page it is twice as much, up to a whole page.
constexpr uint32_t kLinkedBytes = 4 * KiB;
constexpr uint8_t kMostDoublings = 4;

// After so many frees in a current page the clock is read.
constexpr uint32_t kFreesToLook = 1024;

// Of a page so much must be free before the heap allocates from it again. Less would scatter new blocks between old
// ones, and more would leave too much unused.
constexpr uint32_t free_enough(uint32_t capacity) { return (capacity + 3) / 4; }

} // namespace

void SizeHeap::open(LocalHeap *owner, bool own_pages) {
  owner_ = owner;
  for (unsigned size = 1; size <= kSmallClasses; ++size)
    births_left_[size] =
        own_pages ? static_cast<uint8_t>(std::clamp(kBirthBytes / (size * Granules::kBytes),
                                                    kFewestBirths, kMostBirths))
                  : kAlways;
}

// The block at `place` follows the one that `last` is the link of.
Block **SizeHeap::link(Block **last, Address place) {
  auto *block = reinterpret_cast<Block *>(place);
  *last = block;
  return &block->next;
}

// The same for `count` blocks in a row, one at least.
Block **SizeHeap::link_all(Block *&first, Address place, size_t count, size_t bytes) {
  first = reinterpret_cast<Block *>(place);
#pragma GCC unroll 8
  for (; count > 1; --count) {
    const Address next = place + bytes;
    reinterpret_cast<Block *>(place)->next = reinterpret_cast<Block *>(next);
    place = next;
  }
  return &reinterpret_cast<Block *>(place)->next;
}

// In the order of their addresses. Only while the list is empty: a block on it would be linked twice.
void SizeHeap::link_blocks(SizePage *page) {
  const size_t bytes = page->block_bytes;
  const bool is_fresh = page->next == page->touched;
  const size_t most = page->linked_blocks * bytes;
  const size_t limit = is_fresh ? page->end : page->touched;
  const Address end = page->address_of(static_cast<uint32_t>(std::min(page->next + most, limit)));
  Address place = page->address_of(page->next);
  Block **last = &page->free;
  if (is_fresh) {
    last = link_all(page->free, place, (end - place) / bytes, bytes);
    page->touched = static_cast<uint32_t>(end - page->address_of(0));
  } else {
    for (; place < end; place += bytes)
      if (page->state_of(place) == BlockState::none) last = link(last, place);
  }
  *last = nullptr;
  page->next = static_cast<uint32_t>(end - page->address_of(0));
}

SizePage *SizeHeap::add_page(unsigned size) {
  SizePage *page = size_page_store.take();
  if (page == nullptr) return nullptr;
  page->block_bytes = static_cast<uint32_t>(size * Granules::kBytes);
  page->capacity = (kUnitBytes - SizePage::kHeaderBytes) / page->block_bytes;
  page->end = SizePage::kHeaderBytes + page->capacity * page->block_bytes;
  page->touched = SizePage::kHeaderBytes;
  page->owner = owner_;
  pages_.store(pages_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (when_grown != nullptr) when_grown(owner_->span_bytes());
  return page;
}

void SizeHeap::enter(SizePage *page) {
  if (page->is_listed) unfile(page);
  page->is_current = true;
  page->free = nullptr; // what is on the list is found by its state, in order
  page->next = SizePage::kHeaderBytes;
  page->frees_left = kFreesToLook;
  const size_t size = page->block_bytes / Granules::kBytes;
  page->linked_blocks = (kLinkedBytes << doublings_[size]) / page->block_bytes;
  if (doublings_[size] < kMostDoublings) ++doublings_[size];
  current_[size] = page;
}

void *SizeHeap::refill(unsigned size) {
  if (void *block = take(size)) return block;
  if (void *block = take_next(size)) return block;
  SizePage *page = current_[size];
  if (page != &no_size_page) leave(page, page->capacity);
  page = by_room_[size].front();
  if (page == nullptr) page = add_page(size);
  if (page == nullptr) return nullptr;
  enter(page);
  return take_next(size);
}

// `live` blocks of the page are live, or on their way back.
void SizeHeap::leave(SizePage *page, uint32_t live) {
  current_[page->block_bytes / Granules::kBytes] = &no_size_page;
  page->is_current = false;
  file(page, live);
}

// Puts a page that is not current where it belongs, and counts the frees until it belongs elsewhere.
void SizeHeap::file(SizePage *page, uint32_t live) {
  if (live == 0) return give_back_page(page);
  const uint32_t most = page->capacity - free_enough(page->capacity);
  if (live <= most) {
    if (!page->is_listed) by_room_[page->block_bytes / Granules::kBytes].push_back(page);
    page->is_listed = true;
    page->live_then = 0;
  } else {
    page->live_then = most;
  }
  page->frees_left = live - page->live_then;
}

void SizeHeap::unfile(SizePage *page) {
  by_room_[page->block_bytes / Granules::kBytes].remove(page);
  page->is_listed = false;
}

void SizeHeap::give_back_page(SizePage *page) {
  if (page->is_listed) unfile(page);
  if (page->strays != 0) {
    stray_pages_.remove(page);
    page->each_place([&](Address place) { page->set_state(place, BlockState::none); });
  }
  page->owner = nullptr;
  pages_.store(pages_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  size_page_store.give_back(page, (page->touched + kPageBytes - 1) / kPageBytes);
}

bool SizeHeap::release_last(SizePage *page, Block *block) {
  put(page, block);
  if (page->is_current) {
    page->frees_left = kFreesToLook;
    return true;
  }
  file(page, page->live_then);
  return false;
}

void SizeHeap::add_stray(SizePage *page, Block *block) {
  page->set_state(reinterpret_cast<Address>(block), BlockState::stray);
  if (page->strays++ == 0) stray_pages_.push_back(page);
  if (page->is_current) return;
  const uint32_t left = std::atomic_ref(page->frees_left).load(std::memory_order_relaxed);
  if (left + page->live_then > page->strays) return;
  bool any = false; // the owner may be freeing the last block
  page->each_place([&](Address place) {
    const BlockState state = page->state_of(place);
    any |= state == BlockState::live || state == BlockState::returning;
  });
  if (!any) give_back_page(page);
}

void SizeHeap::absorb_strays() {
  while (SizePage *page = stray_pages_.front()) {
    stray_pages_.remove(page);
    const uint32_t absorbed = std::exchange(page->strays, 0);
    page->each_place([&](Address place) {
      if (page->state_of(place) == BlockState::stray) put(page, reinterpret_cast<Block *>(place));
    });
    if (!page->is_current) file(page, page->frees_left + page->live_then - absorbed);
  }
}

void SizeHeap::close() {
  absorb_strays();
  for (SizePage *page : current_) {
    if (page == &no_size_page) continue;
    uint32_t live = 0;
    page->each_place([&](Address place) { live += page->state_of(place) != BlockState::none; });
    leave(page, live);
  }
}

} // namespace abut::heap
