// malloc and its kin over a plan's slots and the C library's heap: what the plan does not serve goes to __libc_malloc (Cyll,
// section 6.3). Nothing else is in the way, as in the library of his that only follows (section 5.5).
#include "abut/abut.h"

#include "api/explanation.hpp"
#include "api/export.hpp"
#include "api/new_handlers.hpp"
#include "base/options.hpp"
#include "context/entry_stub.hpp"
#include "heap/heap.hpp"
#include "os/environment.hpp"
#include "placement/plan/follower.hpp"

#include <cstring>
#include <dlfcn.h>
#include <utility>

using namespace abut;
using context::Frame;

extern "C" {
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t each);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);
void __libc_free(void *memory);
}

namespace {

__attribute__((constructor(101))) void start() {
  char text[2 * kOptionPathBytes];
  for (const auto &[variable, option] :
       {std::pair{"ABUT_PLAN", "plan"}, std::pair{"ABUT_EXPLAIN", "explain"}})
    if (os::environment_value(variable, text, sizeof text))
      set_option(option, std::strlen(option), text);
  plan::start();
  os::call_at_fork(heap::before_fork, heap::after_fork_in_parent, heap::after_fork_in_child);
}

__attribute__((destructor(101))) void end() {
  if (option_value(Option::explain) != 0) entry::explain_plan();
}

// The slot of a request; null where the plan has none for it.
void *slot_for(size_t bytes, Frame frame) {
  if (!is_enabled(Policy::plan) || bytes - 1 >= kPlacedMost) return nullptr;
  const plan::Follower::Fast fast = plan::follower.take_fast(bytes, *frame.sp);
  return fast.outcome == plan::Follower::Outcome::unknown ? plan::follower.allocate(bytes, frame)
                                                          : fast.block;
}

void *allocate(size_t bytes, Frame frame) {
  void *slot = slot_for(bytes, frame);
  return slot != nullptr ? slot : __libc_malloc(bytes);
}

bool is_planned(const void *memory) {
  const auto address = reinterpret_cast<Address>(memory);
  return heap::segment_map.kind_at(address) == heap::SegmentKind::placed;
}

[[noreturn]] void fail(const char *call, const void *memory) {
  os::fail(call, memory, "no block begins at this address");
}

} // namespace

namespace served {
namespace {

void *allocate(size_t bytes) { return __libc_malloc(bytes); }
void *allocate_aligned(size_t align, size_t bytes) { return __libc_memalign(align, bytes); }
void *aligned(size_t align, size_t bytes) { return __libc_memalign(align, bytes); }

void release(const char *call, void *memory) {
  if (!is_planned(memory)) return __libc_free(memory);
  if (!plan::follower.release(reinterpret_cast<Address>(memory))) fail(call, memory);
}

size_t usable(const char *call, void *memory) {
  if (!is_planned(memory)) {
    const auto next = dlsym(RTLD_NEXT, "malloc_usable_size");
    return reinterpret_cast<size_t (*)(void *)>(next)(memory);
  }
  const size_t bytes = plan::follower.usable(reinterpret_cast<Address>(memory));
  if (bytes == 0) fail(call, memory);
  return bytes;
}

} // namespace
} // namespace served

ABUT_BODY void *cyll_malloc(size_t bytes, const Address *sp, Address rbp) {
  return allocate(bytes, {sp, rbp});
}

ABUT_BODY void *cyll_calloc(size_t count, size_t each, const Address *sp, Address rbp) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, each, &bytes)) return __libc_calloc(count, each);
  void *slot = slot_for(bytes, {sp, rbp});
  return slot != nullptr ? std::memset(slot, 0, bytes) : __libc_calloc(count, each);
}

// A block in a slot that does not suffice goes to the C library's heap.
ABUT_BODY void *cyll_realloc(void *memory, size_t bytes, const Address *sp, Address rbp) {
  if (memory == nullptr) return allocate(bytes, {sp, rbp});
  if (!is_planned(memory)) return __libc_realloc(memory, bytes);
  const size_t had = served::usable("realloc", memory);
  if (bytes != 0 && bytes <= had) return memory;
  void *moved = bytes != 0 ? __libc_malloc(bytes) : nullptr;
  if (moved != nullptr) std::memcpy(moved, memory, had);
  if (moved != nullptr || bytes == 0) served::release("realloc", memory);
  return moved;
}

ABUT_BODY void *cyll_new(size_t bytes, const Address *sp, Address rbp) {
  return entry::allocate_or_throw([=] { return allocate(bytes, {sp, rbp}); });
}

ABUT_ENTRY_STUB_1(malloc, cyll_malloc);
ABUT_ENTRY_STUB_2(calloc, cyll_calloc);
ABUT_ENTRY_STUB_2(realloc, cyll_realloc);
ABUT_ENTRY_STUB_1(_Znwm, cyll_new);
ABUT_ENTRY_STUB_1(_Znam, cyll_new);
// Whatever the hint is, the plan knows: his ccmalloc.
ABUT_ENTRY_STUB_1(abut_malloc_near, cyll_malloc);
ABUT_ENTRY_STUB_2(abut_calloc_near, cyll_calloc);

ABUT_EXPORT void abut_plan_stop() { plan::follower.stop(); }

#include "api/derived_calls.hpp"
#include "api/every_delete.hpp"
#include "api/more_new.hpp"
