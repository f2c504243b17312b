// Allocation with a hint, as abut.h has it, recorded with the hint.
#include "abut/abut.h"

#include "api/calls.hpp"
#include "probes/light/stub.hpp"

#include <cstring>

using namespace abut;

ABUT_BODY void *abut_light_malloc_near(size_t bytes, const void *other, const Address *sp,
                                       Address rbp) {
  void *memory = entry::or_no_memory(near::allocate_near(bytes, other));
  light::allocated(memory, bytes, 0, {sp, rbp});
  if (memory != nullptr && other != nullptr) light::hinted_near(memory, other);
  return memory;
}

ABUT_BODY void *abut_light_calloc_near(size_t count, size_t each, const void *other,
                                       const Address *sp, Address rbp) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, each, &bytes)) return entry::or_no_memory(nullptr);
  void *memory =
      bytes > near::kObjectMax ? heap::allocate_zeroed(bytes) : near::allocate_near(bytes, other);
  if (memory != nullptr && bytes <= near::kObjectMax) std::memset(memory, 0, bytes);
  light::allocated(entry::or_no_memory(memory), bytes, 0, {sp, rbp});
  if (memory != nullptr && other != nullptr) light::hinted_near(memory, other);
  return memory;
}

ABUT_ENTRY_STUB_2(abut_malloc_near, abut_light_malloc_near);
ABUT_ENTRY_STUB_3(abut_calloc_near, abut_light_calloc_near);

ABUT_EXPORT void abut_touch(const void *memory, unsigned weight) {
  if (memory != nullptr) light::hinted_touch(memory, weight);
}
