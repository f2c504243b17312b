#include "sim/pages/page_lru.hpp"

#include <algorithm>

namespace abut::sim {

uint32_t PageLru::reference(uint32_t page) {
  const uint32_t item = item_of_page(page);
  const bool known = queue_.holds(item);
  const uint32_t frames = known ? queue_.above(item) + 1 : kZeroFilled;
  if (frames == 1) return frames;
  const bool spare =
      !placeholders_.empty() && (!known || queue_.is_above(placeholders_.front(), item));
  if (spare) {
    // Memories down to the placeholder have a frame for it. Those that had it already keep theirs to spare.
    const uint32_t placeholder = take_top_placeholder();
    queue_.remove(placeholder);
    if (known) {
      queue_.replace(item, placeholder);
      add_placeholder(placeholder);
    } else {
      free_.push_back(placeholder);
    }
  } else if (known) {
    queue_.remove(item);
  }
  queue_.push(item);
  return frames;
}

void PageLru::discard(uint32_t page) {
  const uint32_t item = item_of_page(page);
  if (!queue_.holds(item)) return;
  const uint32_t placeholder = fresh_placeholder();
  queue_.replace(item, placeholder);
  add_placeholder(placeholder);
}

uint32_t PageLru::fresh_placeholder() {
  if (free_.empty()) {
    next_placeholder_ += 2;
    return next_placeholder_ - 2;
  }
  const uint32_t placeholder = free_.back();
  free_.pop_back();
  return placeholder;
}

// What the queue does to make room changes places and not their order, so the heap stays one.
void PageLru::add_placeholder(uint32_t placeholder) {
  placeholders_.push_back(placeholder);
  std::push_heap(placeholders_.begin(), placeholders_.end(),
                 [this](uint32_t a, uint32_t b) { return queue_.is_above(b, a); });
}

uint32_t PageLru::take_top_placeholder() {
  std::pop_heap(placeholders_.begin(), placeholders_.end(),
                [this](uint32_t a, uint32_t b) { return queue_.is_above(b, a); });
  const uint32_t top = placeholders_.back();
  placeholders_.pop_back();
  return top;
}

} // namespace abut::sim
