// operator new and delete as api/operators.cpp has them, recorded. The entry points are named as the C++ ABI has them,
// because they hand over their caller's frame.
#include "api/calls.hpp"
#include "api/new_handlers.hpp"
#include "probes/light/stub.hpp"

#include <new>

using namespace abut;
using entry::allocate_or_null;
using entry::allocate_or_throw;
using light::allocated;
using light::allocated_by_heap;

ABUT_FRAME("abut_light_look_new", "%rsi", "%rdx", "abut_light_new_seen");
ABUT_FRAME("abut_light_fetch_new", "%rsi", "%rdx", "abut_light_new_slow");
extern "C" void *abut_light_look_new(size_t bytes);
extern "C" void *abut_light_fetch_new(size_t bytes);

ABUT_EXPORT_CXX void *operator new(size_t bytes) {
  return light::allocate<abut_light_look_new, abut_light_fetch_new>(bytes, ABUT_SITE);
}
ABUT_EXPORT_CXX void *operator new[](size_t bytes) {
  return light::allocate<abut_light_look_new, abut_light_fetch_new>(bytes, ABUT_SITE);
}

ABUT_BODY void *abut_light_new_slow(size_t bytes, const Address *sp, Address rbp) {
  return allocated_by_heap(allocate_or_throw([=] { return heap::allocate(bytes); }), bytes,
                           {sp, rbp});
}

ABUT_CAPTURE("abut_light_capture_new", "abut_light_placed_new");
extern "C" void *abut_light_capture_new(size_t bytes, Address context);

ABUT_BODY void *abut_light_new_seen(size_t bytes, const Address *sp, Address rbp) {
  if (const Address context = light::context_to_place(bytes, *sp))
    return abut_light_capture_new(bytes, context);
  if (void *memory = heap::allocate_if_small(bytes))
    return light::allocated_small(memory, bytes, {sp, rbp});
  return abut_light_new_slow(bytes, sp, rbp);
}

ABUT_BODY void *abut_light_placed_new(size_t bytes, const near::Captured *captured,
                                      Address context) {
  if (void *memory = light::allocate_placed(bytes, captured, context)) return memory;
  void *memory = allocate_or_throw([=] { return heap::allocate(bytes); });
  return allocated(memory, bytes, 0, light::frame_of(captured));
}

ABUT_BODY void *abut_light_new_nothrow(size_t bytes, const std::nothrow_t &, const Address *sp,
                                       Address rbp) {
  return allocated(allocate_or_null([=] { return heap::allocate(bytes); }), bytes, 0, {sp, rbp});
}

ABUT_BODY void *abut_light_new_aligned(size_t bytes, size_t align, const Address *sp, Address rbp) {
  void *memory = allocate_or_throw([=] { return heap::allocate_aligned(align, bytes); });
  return allocated(memory, bytes, align, {sp, rbp});
}

ABUT_BODY void *abut_light_new_aligned_nothrow(size_t bytes, size_t align, const std::nothrow_t &,
                                               const Address *sp, Address rbp) {
  void *memory = allocate_or_null([=] { return heap::allocate_aligned(align, bytes); });
  return allocated(memory, bytes, align, {sp, rbp});
}

ABUT_ENTRY_STUB_2(_ZnwmRKSt9nothrow_t, abut_light_new_nothrow);
ABUT_ENTRY_STUB_2(_ZnamRKSt9nothrow_t, abut_light_new_nothrow);
ABUT_ENTRY_STUB_2(_ZnwmSt11align_val_t, abut_light_new_aligned);
ABUT_ENTRY_STUB_2(_ZnamSt11align_val_t, abut_light_new_aligned);
ABUT_ENTRY_STUB_3(_ZnwmSt11align_val_tRKSt9nothrow_t, abut_light_new_aligned_nothrow);
ABUT_ENTRY_STUB_3(_ZnamSt11align_val_tRKSt9nothrow_t, abut_light_new_aligned_nothrow);

namespace served {
using light::release;
} // namespace served

#include "api/every_delete.hpp"
