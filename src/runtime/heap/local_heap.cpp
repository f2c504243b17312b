#include "heap/local_heap.hpp"

#include "base/options.hpp"
#include "heap/current.hpp"
#include "heap/events.hpp"
#include "heap/heap_registry.hpp"
#include "heap/huge_cache.hpp"
#include "heap/page_store.hpp"

#include <algorithm>
#include <utility>

namespace abut::heap {
namespace {

// So many requests of a size are served in birth order before it gets a page: of most sizes, most threads never need more.
constexpr uint8_t kBirths = 64;

// How many pages are looked at, of a list, and thinned out for each millisecond since the last look, and at most. The one takes
// 150 ns, the other 10 us for each 64 KiB: less than a tenth of the time by default, and 5 ms at once.
constexpr uint64_t kLooked = 16, kMostLooked = 16'000;
constexpr uint64_t kThinned = 4, kLeastThinned = 64, kMostThinned = 512;
constexpr uint64_t kLeastPeriod = 8; // milliseconds between two looks, where nothing may wait
// Pages are thinned out that have had room for such a part of `decay_ms`: what is free in one serves its own size alone, and is
// less likely to be needed again than a whole page.
constexpr uint64_t kSooner = 4;

} // namespace

void LocalHeap::open(uint32_t number, bool in_birth_order) {
  number_ = number;
  in_birth_order_ = in_birth_order;
  sizes.open(this);
  births.open(this);
  begin();
}

void LocalHeap::set_order(bool in_birth_order) {
  if (std::exchange(in_birth_order_, in_birth_order) != in_birth_order) close();
}

// A size has no need of birth order where a thread that had the heap before has left a page with room.
void LocalHeap::begin() {
  for (unsigned i = 0; i < kBirthClasses; ++i) {
    const unsigned one = i == 0 ? kTinyClass : i;
    births_left_[i] = in_birth_order_ && class_bytes(one) <= kBirthOrderMax ? kAlways
                      : sizes.has_room(one)                                 ? 0
                                                                            : kBirths;
  }
}

// Counts the request.
bool LocalHeap::prefers_birth(size_t bytes, unsigned size_class) {
  if (bytes > kBirthMax) return false;
  uint8_t &left = births_left_[size_class == kTinyClass ? 0 : size_class];
  if (left == 0) return false;
  left -= left != kAlways;
  return true;
}

bool LocalHeap::has_taken_over() {
  const uint32_t taken = sizes.sweeps() + births.sweeps() + pages_ever_taken();
  return std::exchange(takeovers_seen_, taken) != taken;
}

void *LocalHeap::allocate(size_t bytes) {
  const unsigned one = size_class(bytes);
  return prefers_birth(bytes, one) ? allocate_in_birth_order(bytes) : allocate_by_size(one);
}

void *LocalHeap::allocate_in_birth_order(size_t bytes) {
  const uint32_t granules = granules_for(bytes);
  if (void *block = births.take_next(granules)) return block;
  std::lock_guard guard(lock());
  begin_refill();
  return births.refill(granules) ? births.take(granules) : nullptr;
}

void *LocalHeap::allocate_by_size(unsigned size_class) {
  if (void *block = sizes.take(size_class)) return block;
  std::lock_guard guard(lock());
  begin_refill();
  return sizes.refill(size_class) ? sizes.take(size_class) : nullptr;
}

void LocalHeap::begin_refill() {
  events.refilled.report();
  look_at_the_clock();
}

void LocalHeap::look_at_the_clock() { decay(os::coarse_milliseconds()); }

void LocalHeap::close() {
  each_side([](LocalHeap &side) { side.close(); });
  std::lock_guard guard(lock());
  events.reserved_too_long.report(*this, true);
  sizes.close();
  births.close();
  rows.give_back(~uint64_t{0});
  begin();
}

void LocalHeap::decay_own(uint64_t now) {
  const auto wait = static_cast<uint64_t>(option_value(Option::decay_ms));
  look_again_at(now + wait / 2);
  const uint64_t passed = now - std::min(now, looked_at_);
  if (passed >= kLeastPeriod) {
    const uint64_t most = std::min(kLooked * passed, kMostLooked);
    const uint64_t to_thin_out = std::min(kThinned * passed + kLeastThinned, kMostThinned);
    const uint64_t idle_since = now - std::min(now, wait / kSooner);
    if (sizes.look_at_pages({most, to_thin_out, idle_since})) look_again_soon(now);
    births.recount(most);
    // Else a look that takes long would make the next one longer.
    looked_at_ = std::max(now, os::coarse_milliseconds());
  }
  if (now >= wait) rows.give_back(now - wait);
}

void LocalHeap::look_again_soon(uint64_t now) {
  look_again_at(now + static_cast<uint64_t>(option_value(Option::decay_ms)) / 64);
  if (this == current) sizes.look_at_the_clock_soon();
}

// The owner takes reserved cells without the lock: others, who free its blocks, leave them to it.
void LocalHeap::decay_reserved() {
  if (is_side()) return;
  decay_at_ = this == current ? look_at_ : 0;
  if (this == current) events.reserved_too_long.report(*this, false);
}

void LocalHeap::decay_all(uint64_t now) {
  decay_own(now);
  each_side([now](LocalHeap &side) { side.decay(now); });
  if (!is_side() && !heap_registry.decay_idle(this, now)) look_again_soon(now);
  if (!decay_shared(now)) look_again_soon(now);
}

void LocalHeap::decay_due(uint64_t now) {
  if (now >= look_at_) decay_all(now);
  decay_reserved();
}

void LocalHeap::trim() {
  std::lock_guard guard(lock());
  constexpr uint64_t kAll = ~uint64_t{0};
  sizes.look_at_pages({kAll, kAll, kAll});
  births.recount(kAll);
  rows.give_back(~uint64_t{0});
}

void LocalHeap::decay_if_idle(uint64_t now) {
  if (!lock().try_lock()) return;
  if (now >= look_at_) {
    decay_own(now);
    decay_reserved();
  }
  lock().unlock();
}

} // namespace abut::heap
