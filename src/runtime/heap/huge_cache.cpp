#include "heap/huge_cache.hpp"

#include "heap/page_store.hpp"

#include <bit>
#include <mutex>

namespace abut::heap {

constinit HugeCache huge_cache;

namespace {

size_t pages_of(const HugeInfo *block) { return block->mapped / kPageBytes; }

// Whether a mapping serves a block: as it is, and made longer.
bool holds(size_t usable, size_t bytes) { return usable >= bytes && usable - bytes <= bytes; }
bool grows_to(size_t usable, size_t bytes) { return usable < bytes && bytes - usable <= usable; }

} // namespace

HugeInfo *HugeCache::remove(Entry &entry) {
  HugeInfo *block = entry.block;
  entry.block = nullptr;
  retention.subtract_resident(pages_of(block));
  return block;
}

HugeCache::Entry *HugeCache::oldest() {
  Entry *found = nullptr;
  for (Entry &entry : entries_)
    if (entry.block && (found == nullptr || entry.freed_at < found->freed_at)) found = &entry;
  return found;
}

HugeCache::Entry *HugeCache::unused() {
  for (Entry &entry : entries_)
    if (entry.block == nullptr) return &entry;
  return nullptr;
}

void HugeCache::ask_for(size_t bytes) {
  const auto width = static_cast<size_t>(std::bit_width(bytes));
  for (size_t at = width - 1; at <= width + 1; ++at) {
    Length &length = lengths_[at];
    if (holds(length.freed, bytes) || grows_to(length.freed, bytes)) length.asked_for = true;
  }
}

bool HugeCache::is_expected(size_t usable, size_t pages) {
  Length &length = lengths_[std::bit_width(usable)];
  length.freed = usable;
  return length.asked_for || pages <= Retention::least();
}

HugeInfo *HugeCache::take(size_t bytes) {
  std::lock_guard guard(lock_);
  ask_for(bytes);
  Entry *best = nullptr;
  for (Entry &entry : entries_) {
    if (entry.block == nullptr) continue;
    const size_t usable = usable_bytes(entry.block);
    if (!holds(usable, bytes)) continue;
    if (best == nullptr || usable < usable_bytes(best->block)) best = &entry;
  }
  return best ? remove(*best) : nullptr;
}

HugeInfo *HugeCache::take_shorter(size_t bytes) {
  std::lock_guard guard(lock_);
  Entry *best = nullptr;
  for (Entry &entry : entries_) {
    if (entry.block == nullptr) continue;
    const size_t usable = usable_bytes(entry.block);
    if (!grows_to(usable, bytes)) continue;
    if (best == nullptr || usable > usable_bytes(best->block)) best = &entry;
  }
  return best ? remove(*best) : nullptr;
}

bool HugeCache::keep(HugeInfo *block) {
  const size_t pages = pages_of(block);
  {
    std::lock_guard guard(lock_);
    if (!is_expected(usable_bytes(block), pages)) return false;
  }
  if (pages <= retention.limit() && put(block, pages)) return true;
  retention.gave_back(pages, Kept::mappings);
  return false;
}

bool HugeCache::put(HugeInfo *block, size_t pages) {
  for (;;) {
    HugeInfo *surplus = nullptr;
    {
      std::lock_guard guard(lock_);
      const bool fits = retention.resident() + pages <= retention.limit();
      Entry *slot = fits ? unused() : nullptr;
      if (slot != nullptr) {
        *slot = {block, os::coarse_milliseconds()};
        retention.add_resident(pages);
        return true;
      }
      Entry *old = oldest();
      if (old == nullptr) return false;
      surplus = remove(*old);
    }
    retention.gave_back(pages_of(surplus), Kept::mappings);
    unmap_huge(surplus);
  }
}

size_t HugeCache::give_back_oldest(uint64_t before) {
  HugeInfo *block = nullptr;
  {
    std::lock_guard guard(lock_);
    Entry *old = oldest();
    if (old == nullptr || old->freed_at > before) return 0;
    block = remove(*old);
  }
  const size_t pages = pages_of(block);
  unmap_huge(block);
  return pages;
}

void HugeCache::give_back(uint64_t before) {
  while (give_back_oldest(before) != 0) {
  }
}

// Where the heap does not grow, what goes back may soon be missed.
void make_room(size_t pages) {
  const bool grows = Retention::is_growing();
  size_t given_back = 0;
  while (given_back < pages && retention.resident() > retention.limit_while_growing()) {
    Kept kind = Kept::pages;
    size_t more = give_back_oldest_pages();
    if (more == 0) {
      kind = Kept::mappings;
      more = huge_cache.give_back_oldest(~uint64_t{0});
    }
    if (more == 0) break;
    if (!grows) retention.gave_back(more, kind);
    given_back += more;
  }
}

bool decay_shared(uint64_t now) {
  static std::atomic<bool> pages_are_left{false};
  if (!retention.due(now) && !pages_are_left.load(std::memory_order_relaxed)) return true;
  const bool is_done = decay_pages(now);
  pages_are_left.store(!is_done, std::memory_order_relaxed);
  const auto wait = static_cast<uint64_t>(option_value(Option::decay_ms));
  if (now >= wait) huge_cache.give_back(now - wait);
  return is_done;
}

} // namespace abut::heap
