#include "sim/pages/page_reduction.hpp"

#include <algorithm>
#include <utility>

namespace abut::sim {

void PageReduction::reference(PageStep step) {
  const uint32_t number = step.page();
  if (number >= pages_.size()) pages_.resize(std::max(size_t{number} + 1, 2 * pages_.size()));
  same_ = number;
  make_newest(number);
  const uint32_t now = append(step);
  Page &page = pages_[number];
  page.touched = time_;
  page.in_use = true;
  // What lies behind the horizon has been forgotten. All that were touched since a step within it are listed still.
  if (page.before_last != kNone)
    take_out(page.last);
  else
    page.before_last = page.last;
  page.last = now;
  settle();
}

// Touching it again is a first touch: no reference from before makes another one superfluous.
void PageReduction::discard(uint32_t number) {
  if (number >= pages_.size() || !pages_[number].in_use) return;
  append(PageStep::discard(number));
  pages_[number].before_last = pages_[number].last = kNone;
  pages_[number].in_use = false;
  if (same_ == number) same_ = kNone;
}

// ---- the pages that were touched last ----

void PageReduction::unlink_page(uint32_t number) {
  const Page &page = pages_[number];
  (page.newer != kNone ? pages_[page.newer].older : newest_) = page.older;
  (page.older != kNone ? pages_[page.older].newer : oldest_) = page.newer;
}

void PageReduction::make_newest(uint32_t number) {
  Page &page = pages_[number];
  if (page.is_listed)
    unlink_page(number);
  else
    ++listed_;
  page.is_listed = true;
  page.newer = kNone;
  page.older = newest_;
  (newest_ != kNone ? pages_[newest_].newer : oldest_) = number;
  newest_ = number;
  if (listed_ <= kept_) return;
  const uint32_t leaving = oldest_;
  unlink_page(leaving);
  pages_[leaving].is_listed = false;
  --listed_;
  horizon_ = pages_[leaving].touched;
}

// ---- steps ----

uint32_t PageReduction::append(PageStep step) {
  const Pending fresh{step, last_pending_, kNone, ++time_};
  uint32_t place = static_cast<uint32_t>(pending_.size());
  if (free_.empty()) {
    pending_.push_back(fresh);
  } else {
    place = free_.back();
    free_.pop_back();
    pending_[place] = fresh;
  }
  (last_pending_ != kNone ? pending_[last_pending_].after : first_pending_) = place;
  last_pending_ = place;
  ++pending_count_;
  return place;
}

void PageReduction::take_out(uint32_t place) {
  const Pending &gone = pending_[place];
  (gone.before != kNone ? pending_[gone.before].after : first_pending_) = gone.after;
  (gone.after != kNone ? pending_[gone.after].before : last_pending_) = gone.before;
  free_.push_back(place);
  --pending_count_;
}

// What lies behind the horizon stays. Its page must not take it for what will be in its place.
void PageReduction::settle() {
  while (first_pending_ != kNone && pending_[first_pending_].time <= horizon_) {
    const uint32_t place = first_pending_;
    const PageStep step = pending_[place].step;
    steps_.push_back(step);
    Page &page = pages_[step.page()];
    if (page.before_last == place) page.before_last = kNone;
    if (page.last == place) page.last = kNone;
    take_out(place);
  }
}

std::vector<PageStep> PageReduction::steps() const {
  std::vector<PageStep> all = steps_;
  for (uint32_t place = first_pending_; place != kNone; place = pending_[place].after)
    all.push_back(pending_[place].step);
  return all;
}

void PageReduction::tighten(uint32_t kept) {
  PageReduction tighter(kept);
  for (const PageStep step : steps()) tighter.take(step);
  *this = std::move(tighter);
}

} // namespace abut::sim
