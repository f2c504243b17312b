#include "heap/local_heap.hpp"

#include "base/options.hpp"
#include "heap/found.hpp"
#include "heap/heap_registry.hpp"
#include "heap/huge_cache.hpp"
#include "os/message.hpp"

#include <mutex>

namespace abut::heap {
namespace {

// After so many searches for room the clock is read, to see whether free pages have waited long enough.
constexpr uint32_t kSearchesToLook = 64;
constexpr unsigned kSpansToLookAt = 256;

// So often whoever fills an inbox looks whether the owner does anything, and sorts the inbox if it does not,
// or if very many blocks wait.
constexpr uint32_t kHelpEvery = 128;
constexpr uint32_t kHelpFrom = 4096;

uint32_t tag_at(const Block *block) {
  const auto address = reinterpret_cast<Address>(block);
  return Segment::of(address)->tag_at(address);
}

} // namespace

void LocalHeap::open(uint32_t number, uintptr_t mark, bool in_birth_order) {
  number_ = number;
  sizes.open(this, !in_birth_order);
  small.open(this, tag_for(number, Tier::small), mark);
  medium.open(this, tag_for(number, Tier::medium), mark);
}

void LocalHeap::note_search() {
  searches_.store(searches_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void LocalHeap::before_search() {
  if (inbox_.any()) sort_inbox_for_owner();
  if (sizes.has_strays()) sizes.absorb_strays();
  note_search();
  look_at_the_clock();
}

void LocalHeap::look_at_the_clock() {
  if (++looks_ % kSearchesToLook == 0) decay(os::coarse_milliseconds());
}

void LocalHeap::look_after_frees() {
  small.count_frees_anew();
  const uint64_t now = os::coarse_milliseconds();
  std::lock_guard guard(lock());
  decay(now);
}

void *LocalHeap::allocate_small(unsigned size) {
  if (sizes.prefers_birth(size)) {
    if (void *block = small.pop(size)) return block;
    if (void *block = small.bump(size)) return block;
    return allocate_small_in_birth_order(size);
  }
  return allocate_small_by_size(size);
}

void *LocalHeap::allocate_small_by_size(unsigned size) {
  if (void *block = sizes.take(size)) return block;
  if (void *block = sizes.take_next(size)) return block;
  std::lock_guard guard(lock());
  before_search();
  return sizes.refill(size);
}

void *LocalHeap::allocate_small_in_birth_order(unsigned size) {
  note_search();
  if (void *block = small.bump_in_page(size)) return block;
  std::lock_guard guard(lock());
  before_search();
  if (void *block = small.pop(size)) return block;
  return small.refill(size);
}

void *LocalHeap::allocate_small_aligned(unsigned size, size_t align) {
  std::lock_guard guard(lock());
  before_search();
  return small.allocate_aligned(size, align);
}

void *LocalHeap::allocate_medium(size_t bytes, size_t align) {
  const unsigned size_class = kMediumClasses.for_bytes(bytes);
  const bool binned = align <= MediumGranules::kBytes;
  if (binned)
    if (void *block = medium.pop(size_class)) return block;
  std::lock_guard guard(lock());
  before_search();
  if (binned) {
    if (void *block = medium.pop(size_class)) return block;
    medium.note_miss(size_class);
  }
  return medium.allocate(kMediumClasses.granules(size_class), align);
}

void LocalHeap::free_last(SizePage *page, Block *block) {
  std::lock_guard guard(lock());
  if (sizes.release_last(page, block))
    decay(os::coarse_milliseconds());
  else
    look_at_the_clock();
}

void LocalHeap::spill_medium(unsigned size_class) {
  std::lock_guard guard(lock());
  medium.spill(size_class);
  look_at_the_clock();
}

void LocalHeap::give_back_medium(Block *block) {
  std::lock_guard guard(lock());
  medium.give_back(block);
}

void LocalHeap::spill_small(unsigned size) {
  std::lock_guard guard(lock());
  small.spill(size);
  look_at_the_clock();
}

bool LocalHeap::resize_medium(Address block, unsigned size) {
  std::lock_guard guard(lock());
  return medium.resize(block, size);
}

// A page whose tag is not this heap's any more has been given away, with all of its blocks free.
void LocalHeap::give_back(Block *block) {
  if (SizePage *page = size_page_at(block)) {
    sizes.give_back(page, block);
    return;
  }
  const uint32_t tag = tag_at(block);
  if (tag == small.tag()) return small.give_back(block);
  if (tag == medium.tag()) return medium.give_back(block);
  os::fail("free", block, kFreedTwice);
}

bool LocalHeap::looks_free(const Block *block) const {
  if (size_page_at(block) != nullptr) return false; // known for certain before it came here
  const uint32_t tag = tag_at(block);
  if (tag == small.tag()) return small.looks_free(block);
  if (tag == medium.tag()) return medium.looks_free(block);
  return false;
}

bool LocalHeap::holds(const Block *block) const {
  if (!looks_free(block)) return false;
  const auto address = reinterpret_cast<Address>(block);
  Segment *segment = Segment::of(address);
  switch (tier_of(tag_at(block))) {
  case Tier::small: {
    const SmallMap &map = segment->line_at(address);
    const uint32_t at = granule_in_page(address);
    return map.begins_at(at) && small.bin(map.length_at(at)).holds(block);
  }
  case Tier::medium: {
    const MediumMap &map = medium_map_at(segment, address);
    const uint32_t at = medium_granule(address);
    return map.begins_at(at) && medium.bin(kMediumClasses.of(map.length_at(at))).holds(block);
  }
  default: return false;
  }
}

void LocalHeap::check_live(const char *call, const Block *block) const {
  if (holds(block)) os::fail(call, block, kFreedTwice);
}

// For the owner a block that comes back is as good as one that it freed itself.
void LocalHeap::keep_or_give_back(Block *block) {
  if (size_page_at(block) != nullptr) return give_back(block);
  check_live("free", block);
  const uint32_t tag = tag_at(block);
  const bool kept = tag == small.tag()    ? small.keep(block)
                    : tag == medium.tag() ? medium.keep(block)
                                          : false;
  if (!kept) give_back(block);
}

void LocalHeap::sort_inbox_for_owner() {
  note_takeover();
  inbox_.take([this](Block *block) { keep_or_give_back(block); });
}

// Blocks on pages that the owner fills are left to the owner, who writes those pages' maps without the lock; and those
// that look as if they were in its bins already, which only the owner may search. Returns whether there were others.
bool LocalHeap::sort_inbox() {
  Block *left = nullptr;
  bool sorted = false;
  inbox_.take([&](Block *block) {
    if (SizePage *page = size_page_at(block)) {
      sizes.add_stray(page, block);
      sorted = true;
    } else if (small.fills(reinterpret_cast<Address>(block)) || looks_free(block)) {
      block->next = left;
      left = block;
    } else {
      give_back(block);
      sorted = true;
    }
  });
  if (sorted) note_takeover();
  while (left) {
    Block *next = left->next;
    inbox_.put(left, 0);
    left = next;
  }
  return sorted;
}

// Whether the owner has searched for room since the question was last asked.
bool LocalHeap::owner_is_busy() {
  const uint32_t searches = searches_.load(std::memory_order_relaxed);
  return searches_seen_.exchange(searches, std::memory_order_relaxed) != searches;
}

void LocalHeap::receive(Block *block, unsigned sender) {
  const uint32_t waiting = inbox_.put(block, sender);
  const bool gone = orphan.load(std::memory_order_relaxed);
  if (gone || (waiting % kHelpEvery == 0 && (waiting >= kHelpFrom || !owner_is_busy()))) help();
}

// Who finds the lock taken leaves its block to the one that sorts, who therefore looks again when it is done. Each
// writes before it reads what the other writes.
void LocalHeap::help() {
  bool sorted = false;
  do {
    write_before_read();
    if (!lock().try_lock()) return;
    sorted = sort_inbox();
    decay_if_due(os::coarse_milliseconds());
    lock().unlock();
    write_before_read();
  } while (sorted && orphan.load(std::memory_order_relaxed) && inbox_.ready());
}

void LocalHeap::close() {
  each_side([](LocalHeap &side) { side.close(); });
  std::lock_guard guard(lock());
  inbox_.take([this](Block *block) {
    check_live("free", block);
    give_back(block);
  });
  if (reclaim != nullptr) reclaim(attachment, true);
  sizes.close();
  small.close();
  medium.close();
}

// What was free at one look and still is at the next has waited for its time, or for half of it.
bool LocalHeap::decay_if_due(uint64_t now) {
  if (now - decayed_at_ < static_cast<uint64_t>(option_value(Option::decay_ms)) / 2) return false;
  decayed_at_ = now;
  look(kSpansToLookAt);
  decay_shared(now);
  return true;
}

void LocalHeap::decay(uint64_t now) {
  if (!decay_if_due(now)) return;
  if (reclaim != nullptr) reclaim(attachment, false);
  small.thin_bins();
  medium.thin_bins();
  each_side([now](LocalHeap &side) { side.decay(now); });
  if (!is_side()) heap_registry.decay_orphans(now);
}

void LocalHeap::look(unsigned most_spans) {
  small.decay(most_spans);
  medium.decay(most_spans);
}

void LocalHeap::trim() {
  std::lock_guard guard(lock());
  sort_inbox();
  look(~0U);
  look(~0U); // what is free at two looks running goes back
}

void LocalHeap::decay_if_idle(uint64_t now) {
  if (!lock().try_lock()) return;
  decay_if_due(now);
  lock().unlock();
}

} // namespace abut::heap
