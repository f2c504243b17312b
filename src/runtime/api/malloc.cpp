// malloc, free and their relatives in C, POSIX and the GNU C library.
#include "api/calls.hpp"
#include "api/export.hpp"
#include "api/served.hpp"

using namespace abut;
using entry::or_no_memory;

namespace {

void *resize(void *memory, size_t bytes) {
  const heap::Resized result = heap::resize("realloc", memory, bytes);
  if (result.foreign) return entry::resize_foreign("realloc", memory, bytes);
  return or_no_memory(result.memory);
}

[[gnu::always_inline]] inline void *allocate_plain(size_t bytes) {
  void *memory = heap::allocate_fast(bytes);
  return memory ? memory : entry::allocate_slow(bytes);
}

// A small block, where somebody looks.
[[gnu::always_inline]] inline void *malloc_at(size_t bytes, Address site, Lookers lookers) {
  if (lookers.has(Looker::plan)) return abut_glance_malloc(bytes, site);
  const AtOnce told = at_once(site);
  if (told.is_idle()) return allocate_plain(bytes);
  if (const KnownSite *known = told.known()) return entry::go(Call::malloc, bytes, *known);
  const Address context = near::context_at_once(bytes, site);
  return context != 0 ? abut_capture_malloc(bytes, context) : abut_unplanned_malloc(bytes, site);
}

// What realloc does with a null pointer, apart from what it does with others.
[[gnu::noinline]] void *malloc_for(size_t bytes, Address site) {
  if (bytes - 1 >= heap::kSmallMax) return entry::allocate_slow(bytes);
  const Lookers here = lookers();
  return here.any() ? malloc_at(bytes, site, here) : allocate_plain(bytes);
}

} // namespace

ABUT_EXPORT void *malloc(size_t bytes) {
  if (heap::is_plain_request(bytes)) [[likely]] {
    void *memory = heap::allocate_at_hand(bytes);
    return memory ? memory : entry::allocate_behind_cursor(bytes);
  }
  if (bytes > heap::kSmallMax) return entry::allocate_slow(bytes);
  return malloc_at(bytes, ABUT_SITE, lookers());
}

ABUT_BODY void *abut_unplanned_malloc(size_t bytes, Address site) {
  return near::wants(site) ? abut_seen_malloc(bytes, site) : abut_unseen_malloc(bytes, site);
}

ABUT_BODY void *abut_seen_malloc(size_t bytes, Address site) {
  const Address context = near::context_to_place(bytes, site);
  return context != 0 ? abut_capture_malloc(bytes, context) : abut_unseen_malloc(bytes, site);
}

ABUT_BODY void *abut_unseen_malloc(size_t bytes, Address site) {
  if (group::wants(bytes, site)) {
    near::note_grouped(site);
    return abut_frame_malloc(bytes);
  }
  near::note_unwanted(site);
  return allocate_plain(bytes);
}

ABUT_EXPORT void *calloc(size_t count, size_t each) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, each, &bytes)) return or_no_memory(nullptr);
  if (somebody_looks() && bytes != 0) [[unlikely]] {
    if (looks(Looker::plan) && bytes <= heap::kSmallMax) return abut_plan_calloc(bytes);
    return abut_unplanned_calloc(bytes, ABUT_SITE);
  }
  return or_no_memory(heap::allocate_zeroed(bytes));
}

ABUT_BODY void *abut_unplanned_calloc(size_t bytes, Address site) {
  if (is_idle(site)) return or_no_memory(heap::allocate_zeroed(bytes));
  if (const Address context = near::context_at_once(bytes, site))
    return abut_capture_calloc(bytes, context);
  return near::wants(site) ? abut_seen_calloc(bytes, site) : abut_unseen_calloc(bytes, site);
}

ABUT_BODY void *abut_seen_calloc(size_t bytes, Address site) {
  const Address context = near::context_to_place(bytes, site);
  return context != 0 ? abut_capture_calloc(bytes, context) : abut_unseen_calloc(bytes, site);
}

ABUT_BODY void *abut_unseen_calloc(size_t bytes, Address site) {
  if (group::wants(bytes, site)) return abut_frame_calloc(bytes);
  near::note_unwanted(site);
  return or_no_memory(heap::allocate_zeroed(bytes));
}

ABUT_EXPORT void *realloc(void *memory, size_t bytes) {
  if (memory == nullptr) return malloc_for(bytes, ABUT_SITE);
  if (bytes != 0) return resize(memory, bytes);
  entry::release("realloc", memory);
  return nullptr;
}

#include "api/derived_calls.hpp"
