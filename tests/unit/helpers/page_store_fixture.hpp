// A store of a test's own, and the rows of pages that it holds: all given back at its end.
#pragma once

#include "heap/page_store.hpp"

#include "helpers/option_setting.hpp"
#include "helpers/residency.hpp"
#include "support/pattern.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace abut::heap {

// Pages of no heap, of which every byte may be written to.
struct HeldRow {
  Page *page = nullptr;
  unsigned pages = 0;
  bool is_clean = false;

  PageSegment *segment() const { return PageSegment::of(*page); }
  unsigned index() const { return segment()->index_of(*page); }
  void *memory() const { return reinterpret_cast<void *>(segment()->address_of(index())); }
  size_t bytes() const { return pages * kBlockPageBytes; }
  void touch() const { test::touch(memory(), bytes()); }
  size_t resident() const { return test::resident_pages(memory(), bytes()); }
  bool reads_as_zero() const { return support::all_zero(memory(), bytes()); }
};

inline HeldRow take_row(PageStore &store, Row row) {
  Page *page = store.take(nullptr, row).page;
  return page != nullptr ? HeldRow{page, row.pages, page->is_clean} : HeldRow{};
}

inline bool resize_row(PageStore &store, HeldRow &row, unsigned pages) {
  if (pages > row.pages && !store.extend(row.page, row.pages, pages - row.pages)) return false;
  if (pages < row.pages) store.shorten(row.page, row.pages, pages, row.bytes());
  row.pages = pages;
  return true;
}

class PageStoreFixture : public testing::Test {
protected:
  static constexpr unsigned kMost = kLargeMax / kBlockPageBytes + 1;
  static constexpr unsigned kOwn = kBlockPageBytes / kPageBytes; // 4 KiB in a page
  static constexpr int64_t kDecayMs = 60000;                     // longer than any test

  void TearDown() override {
    for (const HeldRow &row : held_) store.give_back(row.page, row.pages, row.bytes());
    trim();
    EXPECT_EQ(store.segments(), 0U) << "a segment without a page in use goes back";
    EXPECT_EQ(free_resident(), 0U);
  }

  HeldRow allocate(unsigned pages, unsigned align = 1) {
    const HeldRow row = take_row(store, {pages, align});
    EXPECT_NE(row.page, nullptr);
    if (row.page != nullptr) held_.push_back(row);
    return row;
  }

  void release(const HeldRow &row) {
    std::erase_if(held_, [&](const HeldRow &one) { return one.page == row.page; });
    store.give_back(row.page, row.pages, row.bytes());
  }

  bool resize(HeldRow &row, unsigned pages) {
    if (!resize_row(store, row, pages)) return false;
    for (HeldRow &one : held_)
      if (one.page == row.page) one.pages = pages;
    return true;
  }

  // The number of 4 KiB that went back.
  size_t trim() { return give_back_before(~uint64_t{0}); }
  size_t give_back_before(uint64_t time) {
    size_t given_back = 0;
    while (const size_t more = store.give_back_oldest(time)) given_back += more;
    return given_back;
  }

  // Free 4 KiB that are resident.
  size_t free_resident() const { return retention.resident() - resident_before_; }

  // Nothing goes back to the kernel by itself, unless a test says so.
  test::OptionSetting retain{Option::retain_mb, 1024};
  test::OptionSetting decay{Option::decay_ms, kDecayMs};
  PageStore store{SegmentKind::size_pages};

private:
  std::vector<HeldRow> held_;
  const size_t resident_before_ = retention.resident();
};

} // namespace abut::heap
