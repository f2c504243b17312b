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
    if (after > end_) [[unlikely]]
      return nullptr;
    next_ = after;
    map_->add({granule_in_page(block), size});
    auto *result = reinterpret_cast<Block *>(block);
    result->mark = 0;
    return result;
  }

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

  // Leads to a hole of this page that takes `size`: this one, or the next; false if there is none.
  bool seek(unsigned size) {
    if (!page_) return false;
    if (next_ + size * Granules::kBytes <= end_) return true;
    const auto from = static_cast<uint32_t>((end_ - address_) / Granules::kBytes);
    Range hole = from < kGranulesInPage ? cover_.first_fit(from, size) : Range{};
    if (!hole) return false;
    next_ = address_ + hole.first * Granules::kBytes;
    end_ = address_ + hole.end() * Granules::kBytes;
    return true;
  }

  // Begins with another page.
  void enter(const OpenPage &page) {
    page_ = page;
    address_ = next_ = end_ = page.segment->page_address(page.page);
    map_ = &page.segment->lines[page.page];
    cover_ = map_->cover();
  }

  OpenPage leave() {
    const OpenPage left = page_;
    page_ = {};
    address_ = next_ = end_ = 0;
    return left;
  }

  const OpenPage &page() const { return page_; }
  Address next() const { return next_; }
  bool fills(Address address) const { return round_down(address, kPageBytes) == address_; }

private:
  Address next_ = 0; // what is left of the hole
  Address end_ = 0;
  SmallMap *map_ = nullptr;
  Address address_ = 0; // of the page
  SmallMap::Cover
      cover_{}; // as it was when the page was entered: what is freed meanwhile waits for a next visit
  OpenPage page_;
};

} // namespace abut::heap
