// Placement with a group: what malloc asks for objects that are not put beside a friend.
//
// While groups are formed, every small request is told by its context, and counted. What has been allocated a hundred times
// is noted in the shape graph, and gets a pool or joins one if that promises to pay. Groups are formed while the heap
// grows: each time it has grown by a quarter, the next few thousand requests are told; then only the sites whose objects
// have a pool take longer than others. A group is looked at again each time it has become four times as large, and is turned
// off where its pool turns out half empty.
#pragma once

#include "base/attention.hpp"
#include "base/bump.hpp"
#include "placement/pools/assigned.hpp"
#include "placement/pools/pools.hpp"
#include "placement/pools/shape_graph.hpp"
#include "placement/pools/worth.hpp"

namespace abut::group {

// Whether groups are formed at all; set before the program runs. `all` forms them from the first request on and always,
// as the paper has it; `assigned` only those of contexts to which a profile assigns a pool.
enum class Groups : uint8_t { off, on, all, assigned };
extern Groups groups __attribute__((visibility("hidden")));

// Whether some request may have to do with a group now.
inline bool is_awake() { return looks(Looker::group); }

// How groups are being formed: what nearly every request of theirs looks at, on one line.
struct alignas(kLineBytes) Formation {
  std::atomic<bool> is_on{false}; // whether they are
  // Requests that are yet to be told before they no longer are; nought also where they always are.
  std::atomic<uint32_t> requests_left{0};
  // How often groups were looked at: what threads have been told before may be no longer right.
  std::atomic<uint32_t> looks{1};
  uint32_t most_bytes = 128; // that an object of a group may have
};
extern Formation formation __attribute__((visibility("hidden")));

[[gnu::always_inline]] inline bool is_counting() {
  return formation.requests_left.load(std::memory_order_relaxed) != 0;
}
// True at the last of them, after which allocate() is to be asked.
[[gnu::always_inline]] inline bool count_request() {
  const uint32_t left = formation.requests_left.load(std::memory_order_relaxed);
  if (left > 1) formation.requests_left.store(left - 1, std::memory_order_relaxed);
  return left == 1;
}

// A site, by the return address of its calls, some of whose objects have a pool.
struct alignas(kLineBytes) PooledSite : KnownSite {
  // Where the thread that came first puts its objects; only that thread reads and writes it.
  Told told;
  std::atomic<const ThreadPools *> owner{nullptr};
};
static_assert(sizeof(PooledSite) == kLineBytes);

// Pooled sites, and those whose groups were turned off. Of two at one place the later one stands there.
inline constexpr size_t kSites = 4096;
extern std::atomic<Address> quiet_sites[kSites];
extern PooledSite pooled_sites[kSites];
inline PooledSite &place_of(Address site) { return pooled_sites[site % kSites]; }

// Whether allocate() is to be asked for an object of `bytes`.
[[gnu::always_inline]] inline bool wants(size_t bytes, Address site) {
  if (!is_awake()) return false;
  if (!formation.is_on.load(std::memory_order_relaxed)) [[likely]]
    return place_of(site).site.load(std::memory_order_relaxed) == site;
  if (bytes > formation.most_bytes) return false;
  return quiet_sites[site % kSites].load(std::memory_order_relaxed) != site || count_request();
}

// Whether wants() says the same of all small requests from one site until groups are formed again.
inline bool is_settled(Address site) {
  if (!is_awake() || !formation.is_on.load(std::memory_order_relaxed)) return true;
  return groups == Groups::assigned &&
         (quiet_sites[site % kSites].load(std::memory_order_relaxed) == site ||
          place_of(site).site.load(std::memory_order_relaxed) == site);
}

void start();

// Forms groups for some thousand requests.
void wake();

// A block of `bytes`, for whoever `frame` was called by; null where memory is exhausted.
void *allocate(size_t bytes, context::Frame frame);

// ---- the straight path, which calls nothing but in its last step, so that it needs no stack ----

[[gnu::always_inline]] inline bool holds(const Told &told) {
  return told.looks == formation.looks.load(std::memory_order_relaxed) &&
         told.generation == context::chain_table.generation();
}

inline unsigned size_for(const Told &told, size_t bytes) {
  return heap::small_class(bytes) + told.padding;
}

// Counts an object; whether it is to be looked at closer, as few are.
[[gnu::always_inline]] inline bool count(Group &group, ThreadPools &pools) {
  bump(group.objects);
  ++pools.births;
  return (pools.births & group.rarely) == 0 || group.objects >= group.next_look;
}
// `block`, looked at.
[[gnu::returns_nonnull]] void *look_closer(size_t bytes, void *block, Group &group,
                                           ThreadPools &pools);

// What came of it: whether a block was to be taken, which none may have been at hand for.
struct Straight {
  void *block = nullptr;
  bool is_straight = false;
};

// A small block at a pooled site, for the thread that came first; else allocate() is to be asked, or allocate_next() where
// none was at hand. While groups are formed, nobody comes here.
[[gnu::always_inline]] inline Straight allocate_at(size_t bytes, const PooledSite &site) {
  auto *pools = static_cast<ThreadPools *>(heap::current->side_table);
  if (site.owner.load(std::memory_order_relaxed) != pools || !holds(site.told) ||
      bytes > formation.most_bytes) [[unlikely]]
    return {};
  void *block = site.told.heap->births.take(size_for(site.told, bytes));
  if (block == nullptr) [[unlikely]]
    return {nullptr, true};
  if (count(*site.told.group, *pools)) [[unlikely]]
    return {look_closer(bytes, block, *site.told.group, *pools), true};
  return {block, true};
}

// From where the site's blocks come from; null where memory is exhausted.
void *allocate_next(size_t bytes, const PooledSite &site);

} // namespace abut::group
