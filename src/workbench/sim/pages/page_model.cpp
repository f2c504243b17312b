#include "sim/pages/page_model.hpp"

#include "base/units.hpp"
#include "sim/blocks.hpp"

#include <algorithm>

namespace abut::sim {

void PageModel::take(const References &references) {
  for_each_block(references, {kPageShift},
                 [this](uint64_t page, size_t side) { touch(page, side); });
}

void PageModel::touch_other(uint64_t page, size_t side) {
  ++touches_;
  Known &known = recent_[page % kRecent];
  if (known.page != page) known = {page, numbers_.number(page)};
  const uint32_t number = known.number;
  if (number >= PageStep::kMostPages) return;
  if (number == pages_.size()) {
    pages_.push_back(page);
    in_use_.push_back(false);
  }
  if (!in_use_[number]) {
    in_use_[number] = true;
    use_.most_in_use = std::max(use_.most_in_use, ++use_.in_use);
  }
  reduction_.take(PageStep::reference(number, side));
  // For memories that hold all pages, nothing is left to leave out.
  if (reduction_.count() > settings_.most_steps && reduction_.exact_from() < pages_.size())
    reduction_.tighten(2 * reduction_.exact_from());
}

void PageModel::discard(uint64_t address, uint64_t bytes) {
  const uint64_t end = (address + std::min(bytes, UINT64_MAX - address)) >> kPageShift;
  const uint64_t first = (address >> kPageShift) + ((address & ((1U << kPageShift) - 1)) != 0);
  if (first >= end) return;
  last_page_ = UINT64_MAX;
  if (end - first <= pages_.size()) {
    for (uint64_t page = first; page != end; ++page) discard_page(page);
    return;
  }
  for (size_t number = 0; number < pages_.size(); ++number)
    if (pages_[number] >= first && pages_[number] < end) discard_page(pages_[number]);
}

void PageModel::discard_page(uint64_t page) {
  const uint32_t number = numbers_.find(page);
  if (number >= in_use_.size() || !in_use_[number]) return;
  in_use_[number] = false;
  --use_.in_use;
  reduction_.take(PageStep::discard(number));
}

void PageModel::live(uint64_t more, uint64_t fewer) {
  use_.live_bytes += more;
  use_.live_bytes -= std::min(fewer, use_.live_bytes);
  use_.most_live_bytes = std::max(use_.most_live_bytes, use_.live_bytes);
}

} // namespace abut::sim
