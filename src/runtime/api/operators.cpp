// operator new and delete, in every form.
#include "api/calls.hpp"
#include "api/export.hpp"
#include "api/new_handlers.hpp"
#include "api/served.hpp"

using namespace abut;
using entry::allocate_or_throw;

[[gnu::noinline]] static void *
allocate_placed_or_throw(size_t bytes, const near::Captured *captured, Address context) {
  return allocate_or_throw([=] { return near::allocate(bytes, *captured, context); });
}

[[gnu::noinline]] static void *new_slow(size_t bytes) {
  return allocate_or_throw([=] { return heap::allocate(bytes); });
}

ABUT_BODY void *abut_unplanned_new(size_t bytes, Address site) {
  return near::wants(site) ? abut_seen_new(bytes, site) : abut_unseen_new(bytes, site);
}

ABUT_BODY void *abut_seen_new(size_t bytes, Address site) {
  const Address context = near::context_to_place(bytes, site);
  return context != 0 ? abut_capture_new(bytes, context) : abut_unseen_new(bytes, site);
}

ABUT_BODY void *abut_unseen_new(size_t bytes, Address site) {
  if (group::wants(bytes, site)) {
    near::note_grouped(site);
    return abut_frame_new(bytes);
  }
  near::note_unwanted(site);
  void *memory = heap::allocate_fast(bytes);
  return memory ? memory : new_slow(bytes);
}

[[gnu::always_inline]] static inline void *allocate_new(size_t bytes, Address site) {
  if (heap::is_plain_request(bytes)) [[likely]] {
    void *memory = heap::allocate_at_hand(bytes);
    return memory ? memory : new_slow(bytes);
  }
  const Lookers here = lookers();
  if (bytes > heap::kSmallMax) return new_slow(bytes);
  if (here.has(Looker::plan)) return abut_glance_new(bytes, site);
  const AtOnce told = at_once(site);
  if (told.is_idle()) {
    void *memory = heap::allocate_at_hand(bytes);
    return memory ? memory : new_slow(bytes);
  }
  if (const KnownSite *known = told.known()) return entry::go(Call::operator_new, bytes, *known);
  const Address context = near::context_at_once(bytes, site);
  return context != 0 ? abut_capture_new(bytes, context) : abut_unplanned_new(bytes, site);
}

ABUT_BODY void *abut_placed_new(size_t bytes, const near::Captured *captured, Address context) {
  if (void *memory = near::allocate_beside(bytes, *captured, context)) [[likely]]
    return memory;
  return allocate_placed_or_throw(bytes, captured, context);
}

ABUT_BODY void *abut_searched_new(size_t bytes, const near::Captured *captured, Address context) {
  return allocate_or_throw([=] { return near::search(bytes, *captured, context); });
}

ABUT_BODY void *abut_grouped_new(size_t bytes, const Address *sp, Address rbp) {
  if (void *memory = group::allocate(bytes, {sp, rbp})) [[likely]]
    return memory;
  return new_slow(bytes);
}

ABUT_EXPORT_CXX void *operator new(size_t bytes) { return allocate_new(bytes, ABUT_SITE); }
ABUT_EXPORT_CXX void *operator new[](size_t bytes) { return allocate_new(bytes, ABUT_SITE); }

#include "api/every_delete.hpp"
#include "api/more_new.hpp"
