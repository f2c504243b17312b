// Entry points that hand over the frame of their caller, and where objects may be put beside friends, its registers.
#pragma once

#include "base/attention.hpp"
#include "context/entry_stub.hpp"
#include "entry/calls.hpp"
#include "entry/capture_stub.hpp"
#include "entry/export.hpp"
#include "light/record.hpp"
#include "near/placement.hpp"

// ABUT_LOOKING_STUB(calloc, abut_light_calloc, abut_light_calloc_seen, "rdx", "rcx") defines `calloc` to go on at
//   void *abut_light_calloc(size_t, size_t, const Address *sp, Address rbp)
// while nobody looks for friends, and else at the other, with the same, which may look at all registers of the caller.
#define ABUT_LOOKING_STUB(name, implementation, seen, first, second)                               \
  __asm__(".pushsection .text\n.balign 16\n.globl " #name "\n.type " #name ", @function\n" #name   \
          ":\n.cfi_startproc\nendbr64\n"                                                           \
          "mov %rsp, %" first "\nmov %rbp, %" second "\n"                                          \
          "cmpb $0, _ZN4abut9attentionE(%rip)\njne " #seen "\njmp " #implementation "\n"           \
          ".cfi_endproc\n.size " #name ", . - " #name "\n.popsection\n")

namespace abut::light {

inline Frame frame_of(const near::Captured *captured) {
  return {&captured->words[near::Captured::kReturnAddress], captured->words[1]};
}

// What release() does with what is no small block of the running thread, perhaps another one's; and where there is more
// to do than to write it down.
[[gnu::noinline]] inline void release_other(const char *call, void *memory) {
  if (memory == nullptr) return;
  const auto told = event(ring::Kind::free, reinterpret_cast<Address>(memory));
  if (!os::has_one_thread() || !ring::lane.put_ready(told)) {
    if (ring::lane.is_deaf()) {
      ring::lane.drop();
    } else if (ring::is_recording()) {
      order();
      freed(memory);
    }
  }
  entry::release_slow(call, memory);
}
[[gnu::noinline]] inline void release_slow(const char *call, void *memory) {
  freed(memory);
  entry::release(call, memory);
}

// A block that is not small, or that the thread has not at hand.
[[gnu::noinline]] inline void *allocate_slow(size_t bytes, const Address *sp, Address rbp) {
  if (void *memory = heap::allocate_waiting(bytes))
    return allocated_small(memory, bytes, {sp, rbp});
  return allocated(entry::or_no_memory(heap::allocate_slow(bytes)), bytes, 0, {sp, rbp});
}

// As entry::release. The free is told before it happens.
[[gnu::always_inline]] inline void release(const char *call, void *memory) {
  heap::LocalHeap *heap = heap::current;
  const uint32_t size = heap::own_small_size(heap, memory);
  if (size == 0) [[unlikely]]
    return release_other(call, memory);
  const auto told = event(ring::Kind::free, reinterpret_cast<Address>(memory));
  if (!ring::lane.put_ready(told)) [[unlikely]] {
    if (!ring::lane.is_deaf()) return release_slow(call, memory);
    ring::lane.drop();
  }
  heap::release_own_small(heap, memory, size);
}

// Where somebody looks: whether the block may have a friend, and then what is to be done, see near::context_to_place().
[[gnu::always_inline]] inline bool wants(size_t bytes, Address site) {
  return bytes - (heap::kTinyMax + 1) <= heap::kSmallMax - (heap::kTinyMax + 1) &&
         near::wants(site);
}
[[gnu::noinline]] inline Address context_to_place(size_t bytes, Address site) {
  return near::context_to_place(bytes, site);
}

// A small block beside its friend, if it has one, recorded; null where memory is exhausted.
inline void *allocate_placed(size_t bytes, const near::Captured *captured, Address context) {
  if (void *memory = near::allocate_beside(bytes, *captured, context))
    return allocated_small(memory, bytes, frame_of(captured));
  return allocated(near::allocate(bytes, *captured, context), bytes, 0, frame_of(captured));
}

} // namespace abut::light
