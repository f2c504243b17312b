// The way to a group's pool: where the caller's frame is, is handed on behind the arguments.
#include "api/calls.hpp"
#include "api/export.hpp"
#include "api/frame_stub.hpp"

#include <cstring>

using namespace abut;

ABUT_FRAME("abut_frame_malloc", "%rsi", "%rdx", "abut_grouped_malloc");
ABUT_FRAME("abut_frame_calloc", "%rsi", "%rdx", "abut_grouped_calloc");
ABUT_FRAME("abut_frame_new", "%rsi", "%rdx", "abut_grouped_new");

ABUT_BODY void *abut_grouped_malloc(size_t bytes, const Address *sp, Address rbp) {
  void *memory = group::allocate(bytes, {sp, rbp});
  return memory != nullptr ? memory : entry::allocate_slow(bytes);
}

ABUT_BODY void *abut_grouped_calloc(size_t bytes, const Address *sp, Address rbp) {
  void *memory = abut_grouped_malloc(bytes, sp, rbp);
  if (memory != nullptr) std::memset(memory, 0, heap::cleared_bytes(bytes));
  return memory;
}
