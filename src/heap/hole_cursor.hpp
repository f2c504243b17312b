// A cursor that fills the holes of one page after the other with small blocks of any size.
#pragma once

#include "heap/bin.hpp"
#include "heap/open_pages.hpp"

namespace abut::heap {

class HoleCursor {
public:
  // The next granules of the hole, or null if they do not suffice.
  void *bump(unsigned size) {
    const Address block = next_;
    const Address after = block + size * Granules::kBytes;
    if (after > end_) [[unlikely]] return nullptr;
    next_ = after;
    map_->add({granule_in_page(block), size});
    auto *result = reinterpret_cast<Block *>(block);
    result->mark = 0;
    return result;
  }

  bool fits(unsigned size) const { return next_ + size * Granules::kBytes <= end_; }

  // Leaves out granules until the next block begins at a multiple of `align`.
  void align_to(size_t align) { next_ = round_up(next_, align); }

  // Makes the latest block longer where it lies; false if `block` is not the latest or there is no room.
  bool extend_latest(Address block, unsigned old_size, unsigned size) {
    const Address after = block + size * Granules::kBytes;
    if (block + old_size * Granules::kBytes != next_ || after > end_) return false;
    map_->resize({granule_in_page(block), old_size}, size);
    next_ = after;
    return true;
  }

  // Goes on to the page's next hole that takes `size`; false, and unchanged, if it has none.
  bool next_hole(unsigned size) {
    if (!page_) return false;
    const auto from = static_cast<uint32_t>((end_ - address_) / Granules::kBytes);
    return from < kGranulesInPage && seek(map_->cover(), size, from);
  }

  // Begins with `page`; false if it is not worth a visit for `size`.
  bool enter(const OpenPage &page, unsigned size);

  // Forgets the page, which must then go back to the open pages if it holds no block.
  OpenPage leave();

  const OpenPage &page() const { return page_; }
  SmallMap &map() const { return *map_; }
  bool fills(Address address) const { return round_down(address, kPageBytes) == address_; }
  bool recycling() const { return page_ && !page_.fresh; }
  bool has_room() const { return next_ < end_; }
  uint32_t room() const { return static_cast<uint32_t>((end_ - next_) / Granules::kBytes); }

private:
  // A used page is worth a visit when a sixteenth of it is free: visits for less cost more than they find.
  static constexpr uint32_t kWorthAVisit = kGranulesInPage / 16;

  bool seek(const SmallMap::Cover &cover, unsigned size, uint32_t from) {
    const Range hole = cover.first_fit(from, size);
    if (!hole) return false;
    next_ = address_ + hole.first * Granules::kBytes;
    end_ = address_ + hole.end() * Granules::kBytes;
    return true;
  }

  Address next_ = 0; // what is left of the hole
  Address end_ = 0;
  SmallMap *map_ = nullptr;
  Address address_ = 0; // of the page
  OpenPage page_;
};

inline bool HoleCursor::enter(const OpenPage &page, unsigned size) {
  page_ = page;
  address_ = page.segment->page_address(page.page);
  map_ = &page.segment->lines[page.page];
  next_ = end_ = address_;
  const SmallMap::Cover cover = map_->cover();
  return cover.free_granules() >= kWorthAVisit && seek(cover, size, 0);
}

inline OpenPage HoleCursor::leave() {
  const OpenPage left = page_;
  *this = {};
  return left;
}

} // namespace abut::heap
