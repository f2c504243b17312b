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

[[gnu::noinline]] static void *new_behind_cursor(size_t bytes) {
  return allocate_or_throw([=] { return heap::allocate(bytes); });
}

ABUT_BODY void *abut_unplanned_new(size_t bytes, Address site) {
  const near::Decision what = near::decide(bytes, site);
  switch (what.kind) {
  case sites::Kind::beside: return abut_capture_new(bytes, what.context);
  case sites::Kind::pool: return abut_frame_new(bytes);
  default:
    void *memory = heap::allocate_if_small(bytes);
    return memory ? memory : new_behind_cursor(bytes);
  }
}

template <class Site>
[[gnu::always_inline]] static inline void *allocate_new(size_t bytes, Site site_of_call) {
  if (const auto block = heap::allocate_if_plain(bytes, site_of_call); block.is_plain)
    return block.memory ? block.memory : new_behind_cursor(bytes);
  if (void *memory = heap::allocate_if_medium(bytes)) return memory;
  const Address site = site_of_call();
  const EnabledPolicies here = enabled_policies();
  if (bytes - 1 >= kPlacedMost) return new_behind_cursor(bytes);
  if (here.has(Policy::plan)) return abut_planned_fast_new(bytes, site);
  if (!sites::table.is_plain(site)) return abut_unplanned_new(bytes, site);
  void *memory = heap::allocate_if_small(bytes);
  return memory ? memory : new_behind_cursor(bytes);
}

ABUT_BODY void *abut_placed_new(size_t bytes, const near::Captured *captured, Address context) {
  if (void *memory = near::allocate_beside(bytes, *captured, context)) [[likely]]
    return memory;
  return allocate_placed_or_throw(bytes, captured, context);
}

ABUT_BODY void *abut_grouped_new(size_t bytes, const Address *sp, Address rbp) {
  if (void *memory = group::allocate(bytes, {sp, rbp})) [[likely]]
    return memory;
  return new_behind_cursor(bytes);
}

ABUT_EXPORT_CXX void *operator new(size_t bytes) {
  return allocate_new(bytes, [] { return ABUT_SITE; });
}
ABUT_EXPORT_CXX void *operator new[](size_t bytes) {
  return allocate_new(bytes, [] { return ABUT_SITE; });
}

#include "api/every_delete.hpp"
#include "api/more_new.hpp"
