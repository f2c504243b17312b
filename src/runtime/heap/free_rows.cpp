#include "heap/free_rows.hpp"

#include "heap/heap_registry.hpp"
#include "heap/page_store.hpp"

#include <algorithm>

namespace abut::heap {

void FreeRows::remove(unsigned at) {
  total_ -= pages_[at];
  --count_;
  for (; at < count_; ++at) {
    rows_[at] = rows_[at + 1];
    pages_[at] = pages_[at + 1];
  }
}

Page *FreeRows::take(unsigned pages) {
  for (unsigned at = count_; at-- > 0;) {
    if (pages_[at] != pages) continue;
    Page *first = rows_[at];
    remove(at);
    return first;
  }
  if (pages <= kMost) asked_for_ |= freed_ & 1U << pages;
  return nullptr;
}

// The share changes slowly: to look once each few milliseconds is enough.
bool FreeRows::keeps(unsigned pages, uint64_t now) {
  if (pages > kMost) return false;
  freed_ |= 1U << pages;
  if (now != freed_at_) {
    freed_at_ = now;
    const size_t share = retention.limit() * kPageBytes / kBlockPageBytes / heap_registry.threads();
    limit_ = static_cast<unsigned>(std::min<size_t>(share, kMost));
  }
  return pages <= limit_ && (asked_for_ >> pages & 1) != 0;
}

void FreeRows::keep(Page *first, unsigned pages, uint64_t now) {
  if (!keeps(pages, now)) return size_pages.give_back(first, pages, first->written);
  while (count_ == kRows || total_ + pages > limit_) give_back_first();
  rows_[count_] = first;
  pages_[count_++] = pages;
  total_ += pages;
}

void FreeRows::give_back_first() {
  Page *first = rows_[0];
  const unsigned pages = pages_[0];
  remove(0);
  size_pages.give_back(first, pages, first->written);
}

void FreeRows::give_back(uint64_t before) {
  if (freed_at_ > before) return;
  freed_ = asked_for_ = 0;
  while (count_ != 0) give_back_first();
}

size_t FreeRows::resident() const {
  size_t bytes = 0;
  for (unsigned at = 0; at < count_; ++at) bytes += round_up(rows_[at]->written, kPageBytes);
  return bytes;
}

} // namespace abut::heap
