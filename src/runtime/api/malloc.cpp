// malloc, free and their relatives in C, POSIX and the GNU C library.
#include "api/calls.hpp"
#include "api/export.hpp"
#include "api/served.hpp"

#include <cstring>

using namespace abut;
using entry::or_no_memory;

namespace {

[[gnu::noinline]] void *move_slow(heap::LiveBlock block, void *memory, size_t bytes) {
  return or_no_memory(heap::move_to_small(block, memory, bytes));
}

// To another block: interpreters ask for a little more all the time.
[[gnu::noinline]] void *move(heap::LiveBlock block, void *memory, size_t bytes) {
  if (void *place = heap::allocate_small(bytes)) [[likely]]
    return heap::move_to(place, block, memory, bytes);
  return move_slow(block, memory, bytes);
}

[[gnu::noinline]] void *resize(void *memory, size_t bytes) {
  const heap::Resized result = heap::resize("realloc", memory, bytes);
  if (result.foreign) return entry::resize_foreign("realloc", memory, bytes);
  return or_no_memory(result.memory);
}

[[gnu::always_inline]] inline void *allocate_plain(size_t bytes) {
  void *memory = heap::allocate_if_small(bytes);
  return memory ? memory : entry::allocate_slow(bytes);
}

[[gnu::noinline]] void *allocate_zeroed(size_t bytes) {
  return or_no_memory(heap::allocate_zeroed(bytes));
}

// A block that no policy places.
[[gnu::noinline]] void *allocate_unplaced(size_t bytes) { return allocate_plain(bytes); }

// A block that a policy may place, while one is enabled.
[[gnu::always_inline]] inline void *malloc_at(size_t bytes, Address site, EnabledPolicies enabled) {
  if (enabled.has(Policy::plan)) return abut_planned_fast_malloc(bytes, site);
  if (sites::table.is_plain(site)) return allocate_plain(bytes);
  return abut_unplanned_malloc(bytes, site);
}

// What realloc does with a null pointer, apart from what it does with others.
[[gnu::noinline]] void *malloc_for(size_t bytes, Address site) {
  if (bytes - 1 >= kPlacedMost) return allocate_unplaced(bytes);
  const EnabledPolicies here = enabled_policies();
  if (!here.any() || heap::is_plain_request_at(*heap::current, bytes, [site] { return site; }))
    return allocate_plain(bytes);
  return malloc_at(bytes, site, here);
}

} // namespace

ABUT_EXPORT void *malloc(size_t bytes) {
  if (const auto block = heap::allocate_if_plain(bytes, [] { return ABUT_SITE; }); block.is_plain)
    return block.memory ? block.memory : entry::allocate_behind_cursor(bytes);
  if (void *memory = heap::allocate_if_medium(bytes)) return memory;
  if (bytes - 1 < kPlacedMost) return malloc_at(bytes, ABUT_SITE, enabled_policies());
  return bytes > heap::kSmallMax ? entry::allocate_behind_cursor(bytes) : allocate_unplaced(bytes);
}

ABUT_BODY void *abut_unplanned_malloc(size_t bytes, Address site) {
  const near::Decision what = near::decide(bytes, site);
  switch (what.kind) {
  case sites::Kind::beside: return abut_capture_malloc(bytes, what.context);
  case sites::Kind::pool: return abut_frame_malloc(bytes);
  default: return allocate_plain(bytes);
  }
}

ABUT_EXPORT void *calloc(size_t count, size_t each) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, each, &bytes)) return or_no_memory(nullptr);
  if (const auto block = heap::allocate_if_plain(bytes, [] { return ABUT_SITE; }); block.is_plain)
    return block.memory ? std::memset(block.memory, 0, heap::cleared_bytes(bytes))
                        : allocate_zeroed(bytes);
  if (bytes - 1 >= kPlacedMost || !any_policy_enabled()) return allocate_zeroed(bytes);
  if (is_enabled(Policy::plan)) return abut_plan_calloc(bytes);
  return abut_unplanned_calloc(bytes, ABUT_SITE);
}

ABUT_BODY void *abut_unplanned_calloc(size_t bytes, Address site) {
  const near::Decision what = near::decide(bytes, site);
  switch (what.kind) {
  case sites::Kind::beside: return abut_capture_calloc(bytes, what.context);
  case sites::Kind::pool: return abut_frame_calloc(bytes);
  default: return or_no_memory(heap::allocate_zeroed(bytes));
  }
}

ABUT_EXPORT void *realloc(void *memory, size_t bytes) {
  if (const heap::LiveBlock block = heap::live_block(memory)) {
    if (heap::stays(block, bytes)) return memory;
    if (heap::is_among(bytes, kPlainSizes)) return move(block, memory, bytes);
  }
  if (memory == nullptr) return malloc_for(bytes, ABUT_SITE);
  if (bytes != 0) return resize(memory, bytes);
  entry::release("realloc", memory);
  return nullptr;
}

#include "api/derived_calls.hpp"
