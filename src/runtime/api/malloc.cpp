// malloc, free and their relatives in C, POSIX and the GNU C library.
#include "api/calls.hpp"
#include "api/export.hpp"

#include <algorithm>

using namespace abut;
using entry::or_no_memory;

namespace {

void *aligned(size_t align, size_t bytes) {
  return or_no_memory(heap::allocate_aligned(align, bytes));
}

// memalign takes any alignment, as the GNU C library does: the next power of two stands for it.
size_t next_power_of_two(size_t align) {
  return align > size_t{1} << 63 ? 0 : std::bit_ceil(std::max<size_t>(align, 1));
}

void *memalign_any(size_t align, size_t bytes) {
  const size_t power = next_power_of_two(align);
  if (power == 0) {
    errno = EINVAL;
    return nullptr;
  }
  return aligned(power, bytes);
}

void *resize(void *memory, size_t bytes) {
  const heap::Resized result = heap::resize("realloc", memory, bytes);
  if (result.foreign) return entry::resize_foreign("realloc", memory, bytes);
  return or_no_memory(result.memory);
}

} // namespace

namespace {

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

ABUT_EXPORT void free(void *memory) { entry::release("free", memory); }

ABUT_EXPORT void free_sized(void *memory, size_t) { entry::release("free_sized", memory); }

ABUT_EXPORT void free_aligned_sized(void *memory, size_t, size_t) {
  entry::release("free_aligned_sized", memory);
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

ABUT_EXPORT void *reallocarray(void *memory, size_t count, size_t each) {
  size_t bytes = 0;
  return __builtin_mul_overflow(count, each, &bytes) ? or_no_memory(nullptr)
                                                     : realloc(memory, bytes);
}

ABUT_EXPORT void *aligned_alloc(size_t align, size_t bytes) { return memalign_any(align, bytes); }

ABUT_EXPORT void *memalign(size_t align, size_t bytes) { return memalign_any(align, bytes); }

ABUT_EXPORT int posix_memalign(void **result, size_t align, size_t bytes) {
  if (!is_power_of_two(align) || align % sizeof(void *) != 0) return EINVAL;
  void *memory = or_no_memory(heap::allocate_aligned(align, bytes));
  if (memory == nullptr) return ENOMEM;
  *result = memory;
  return 0;
}

ABUT_EXPORT void *valloc(size_t bytes) { return aligned(kPageBytes, bytes); }

ABUT_EXPORT void *pvalloc(size_t bytes) {
  return bytes > heap::kRequestMax
             ? or_no_memory(nullptr)
             : aligned(kPageBytes, round_up(std::max<size_t>(bytes, 1), kPageBytes));
}

ABUT_EXPORT size_t malloc_usable_size(void *memory) {
  if (memory == nullptr) return 0;
  const size_t usable = heap::usable_size("malloc_usable_size", memory);
  return usable != 0 ? usable : entry::foreign_usable_size("malloc_usable_size", memory);
}
