#include "sim/pages/swap_prefetch.hpp"

namespace abut::sim {

bool SwapPrefetch::miss(uint64_t page) {
  if (const auto found = buffer_.find(page); found != buffer_.end()) {
    order_.erase(found->second);
    buffer_.erase(found);
    return true;
  }
  const uint64_t first = page & ~(uint64_t{settings_.group_pages} - 1);
  for (uint64_t other = first; other != first + settings_.group_pages; ++other)
    if (other != page) put(other);
  return false;
}

// One that is there already stays as old as it is.
void SwapPrefetch::put(uint64_t page) {
  if (buffer_.contains(page)) return;
  if (buffer_.size() >= settings_.buffer_pages) {
    buffer_.erase(order_.front());
    order_.pop_front();
  }
  buffer_[page] = order_.insert(order_.end(), page);
}

} // namespace abut::sim
