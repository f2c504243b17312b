// The way to placement beside friends: the caller's registers are put on the stack, where they can be looked at.
#include "api/calls.hpp"
#include "api/capture_stub.hpp"
#include "api/export.hpp"

#include <cstring>

using namespace abut;

ABUT_CAPTURE("abut_capture_malloc", "abut_placed_malloc");
ABUT_CAPTURE("abut_capture_calloc", "abut_placed_calloc");
ABUT_CAPTURE("abut_capture_new", "abut_placed_new");

namespace {

[[gnu::noinline]] void *allocate_slow(size_t bytes, const near::Captured *captured,
                                      Address context) {
  return entry::or_no_memory(near::allocate(bytes, *captured, context));
}

[[gnu::always_inline]] inline void *allocate_placed(size_t bytes, const near::Captured *captured,
                                                    Address context) {
  void *memory = near::allocate_beside(bytes, *captured, context);
  return memory != nullptr ? memory : allocate_slow(bytes, captured, context);
}

} // namespace

ABUT_BODY void *abut_placed_malloc(size_t bytes, const near::Captured *captured, Address context) {
  return allocate_placed(bytes, captured, context);
}

ABUT_BODY void *abut_placed_calloc(size_t bytes, const near::Captured *captured, Address context) {
  void *memory = allocate_placed(bytes, captured, context);
  if (memory != nullptr) std::memset(memory, 0, heap::cleared_bytes(bytes));
  return memory;
}
