// What a program does to pages: which are in use, how much live data that is for, and in what order they are touched,
// for the simulations of memories (page_curve.hpp). As in Vam, sections 4.4 to 4.6.
//
// A page is in use from its first touch until it is given back. Memory: some seventy bytes for each different page, and
// four for each step of the reduced trace, of which there are so many at the most: past that, the trace is reduced
// further, and exact for larger memories only.
#pragma once

#include "sim/pages/page_reduction.hpp"
#include "sim/reference.hpp"
#include "sim/reuse/numbering.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace abut::sim {

struct PageSettings {
  uint32_t exact_from = 64; // pages: what smaller memories would do is not kept
  size_t most_steps = size_t{1} << 26;
};

struct PageUse {
  uint64_t in_use = 0; // pages
  uint64_t most_in_use = 0;
  uint64_t live_bytes = 0; // as requested
  uint64_t most_live_bytes = 0;
};

class PageModel : public Consumer {
public:
  explicit PageModel(PageSettings settings = {})
      : settings_(settings), reduction_(settings.exact_from) {}

  void take(const References &references) override;
  void touch(uint64_t page, size_t side) {
    if (page == last_page_) return;
    last_page_ = page;
    touch_other(page, side);
  }
  // The kernel takes these bytes' pages back; those that they fill only in part stay.
  void discard(uint64_t address, uint64_t bytes);
  // The program has so many bytes more, and so many fewer.
  void live(uint64_t more, uint64_t fewer);

  const PageUse &use() const { return use_; }
  const PageReduction &reduction() const { return reduction_; }
  // The addresses, in pages, of the numbers that the reduction's steps name.
  const std::vector<uint64_t> &pages() const { return pages_; }
  uint64_t touches() const { return touches_; }

private:
  static constexpr size_t kRecent = 64;
  struct Known {
    uint64_t page = UINT64_MAX;
    uint32_t number = 0;
  };

  void touch_other(uint64_t page, size_t side);
  void discard_page(uint64_t page);

  PageSettings settings_;
  Numbering numbers_;
  PageReduction reduction_;
  std::array<Known, kRecent> recent_;
  std::vector<uint64_t> pages_;
  std::vector<bool> in_use_;
  PageUse use_;
  uint64_t last_page_ = UINT64_MAX;
  uint64_t touches_ = 0; // other than of the page before
};

} // namespace abut::sim
