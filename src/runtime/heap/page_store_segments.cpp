// The segments of a store: new ones, their growth, and back to the kernel.
#include "heap/page_store.hpp"

#include "base/policies.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace abut::heap {
namespace {

// Of a segment at first, behind what describes its pages, and where memory is scarce; each further piece is as long as all
// before.
constexpr size_t kFirstPiece = 192 * KiB;
constexpr size_t kLeastPiece = kBlockPageBytes;
constexpr size_t kHugePiece = 2 * MiB; // where pages of 2 MiB are wanted

constexpr size_t kHead = round_up(sizeof(PageSegment), kPageBytes);
constexpr size_t kMostHidden = 16; // of a store: 64 MiB of addresses

} // namespace

bool PageStore::wants_huge_pages() const {
  return huge_pages() == HugePages::always ||
         (huge_pages() == HugePages::large && huge_page_use_.pays(owned_));
}

bool PageStore::wants_huge_pages(const PageSegment &segment) const {
  return wants_huge_pages() && !segment.refuses_huge_pages;
}

void PageStore::advise(void *memory, size_t bytes, bool huge) {
  asked_for_huge_pages_ |= huge;
  advise_huge_pages(memory, bytes, huge);
}

// Where the kernel was asked for pages of 2 MiB, it makes more of them as time goes on: of 2 MiB of which as little as 4 KiB is
// in use, too. What went back would be resident again. So the segment has none from now on, until it goes back as a whole.
void PageStore::refuse_huge_pages(PageSegment *segment) {
  if (!asked_for_huge_pages_ || segment->refuses_huge_pages || huge_pages() == HugePages::always)
    return;
  segment->refuses_huge_pages = true;
  os::refuse_huge_pages(segment, segment->mapped);
}

void PageStore::advise_again() {
  std::lock_guard guard(lock_);
  for (PageSegment *segment = all_.front(); segment != nullptr; segment = All::after(segment))
    advise(segment, segment->mapped, wants_huge_pages(*segment));
}

PageSegment *PageStore::add_segment() {
  const bool huge = wants_huge_pages();
  if (PageSegment *hidden = hidden_.back()) {
    forget_hidden(hidden);
    advise(hidden, hidden->mapped, huge);
    begin_segment(hidden);
    segment_map.show(hidden, kind_);
    return hidden;
  }
  const size_t head = PageSegment::head_pages(kind_) * kBlockPageBytes;
  size_t piece = huge ? kHugePiece : head + kFirstPiece;
  void *memory = segment_map.map(piece, kSegmentBytes, kSegmentBytes, kind_);
  if (memory == nullptr) { // under a limit, the least may still be had
    piece = head + kLeastPiece;
    memory = segment_map.map(piece, kSegmentBytes, kSegmentBytes, kind_);
  }
  if (memory == nullptr) return nullptr;
  auto *segment = static_cast<PageSegment *>(memory);
  advise(memory, piece, huge);
  const uint64_t begun = huge ? os::nanoseconds() : 0;
  segment->mapped = piece; // the first write
  if (huge) huge_page_use_.came_after(os::nanoseconds() - begun, owned_);
  begin_segment(segment);
  return segment;
}

// All of it reads as zero, but for how much is mapped.
void PageStore::begin_segment(PageSegment *segment) {
  for (Page &page : segment->pages) disown(page);
  segment->freed_at = 0;
  segment->unused = segment->clean = PageSegment::all_of(kind_);
  all_.push_back(segment);
  by_room_.push_front(segment);
  ++segments_;
  page_segments.add(reinterpret_cast<Address>(segment), kind_);
}

void PageStore::drop_segment(PageSegment *segment) {
  page_segments.remove(reinterpret_cast<Address>(segment), kind_);
  by_room_.remove(segment);
  all_.remove(segment);
  --segments_;
  if (!any_policy_enabled() || !hide_segment(segment))
    segment_map.unmap(segment, segment->mapped, kSegmentBytes);
}

// Where objects are placed beside their friends, another thread may have asked a moment ago whether blocks lie at an address that
// the program has somewhere, and be about to read there. So only the memory goes back at once; the addresses do later, or serve
// again. False where the kernel refuses, as it does when some is locked.
bool PageStore::hide_segment(PageSegment *segment) {
  segment_map.hide(segment);
  const size_t mapped = segment->mapped;
  auto *memory = reinterpret_cast<char *>(segment);
  if (!os::discard(memory + kHead, mapped - kHead)) return false;
  std::memset(memory, 0, kHead); // written to by hand: a fresh page might have 2 MiB
  segment->mapped = mapped;
  segment->freed_at = os::coarse_milliseconds();
  hidden_.push_back(segment);
  if (++hidden_count_ > kMostHidden) unmap_hidden_first();
  return true;
}

void PageStore::forget_hidden(PageSegment *segment) {
  hidden_.remove(segment);
  --hidden_count_;
}

void PageStore::unmap_hidden_first() {
  PageSegment *segment = hidden_.front();
  forget_hidden(segment);
  segment_map.unmap(segment, segment->mapped, kSegmentBytes);
}

void PageStore::unmap_hidden(uint64_t hidden_before) {
  std::lock_guard guard(lock_);
  while (!hidden_.empty() && hidden_.front()->freed_at <= hidden_before) unmap_hidden_first();
}

// Where another mapping is in the segment's place, the segment stays as long as it is.
bool PageStore::map_up_to(PageSegment *segment, size_t end) {
  if (end <= segment->mapped) return true;
  const size_t doubled = std::min(std::max(std::bit_ceil(end), 2 * segment->mapped), kSegmentBytes);
  void *place = reinterpret_cast<char *>(segment) + segment->mapped;
  for (const size_t length : {doubled, end}) { // under a limit, the least may still be had
    const size_t more = length - segment->mapped;
    if (os::map_at(place, more) != os::Mapped::done) continue;
    segment_map.count_mapped(static_cast<ptrdiff_t>(more));
    advise(place, more, wants_huge_pages(*segment));
    std::atomic_ref(segment->mapped).store(length, std::memory_order_relaxed);
    return true;
  }
  return false;
}

void unmap_hidden_segments() {
  size_pages.unmap_hidden();
  birth_pages.unmap_hidden();
}

} // namespace abut::heap
