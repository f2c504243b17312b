// Entry points that hand over the frame of their caller, and where objects may be put beside friends, its registers.
#pragma once

#include "base/attention.hpp"
#include "context/entry_stub.hpp"
#include "entry/calls.hpp"
#include "entry/export.hpp"
#include "light/record.hpp"
#include "near/placement.hpp"

// ABUT_PLACING_STUB(calloc, calloc_at, calloc_captured, "rdx", "rcx") defines `calloc` to go on at
//   void *calloc_at(size_t, size_t, const Address *sp, Address rbp)
// while nobody looks for friends, and else at, with the caller's registers in the order of near::Captured,
//   void *calloc_captured(size_t, size_t, const near::Captured *)
// The unwind information lets an exception of operator new pass.
#define ABUT_PLACING_STUB(name, implementation, captured, first, second)                           \
  __asm__(".pushsection .text\n.balign 16\n.globl " #name "\n.type " #name ", @function\n" #name   \
          ":\n.cfi_startproc\nendbr64\n"                                                           \
          "cmpb $0, _ZN4abut9attentionE(%rip)\njne 1f\n"                                           \
          "mov %rsp, %" first "\nmov %rbp, %" second "\njmp " #implementation "\n1:\n"             \
          "push %r15\n.cfi_adjust_cfa_offset 8\npush %r14\n.cfi_adjust_cfa_offset 8\n"             \
          "push %r13\n.cfi_adjust_cfa_offset 8\npush %r12\n.cfi_adjust_cfa_offset 8\n"             \
          "push %rbp\n.cfi_adjust_cfa_offset 8\npush %rbx\n.cfi_adjust_cfa_offset 8\n"             \
          "mov %rsp, %" first "\nsub $8, %rsp\n.cfi_adjust_cfa_offset 8\ncall " #captured          \
          "\nadd $56, %rsp\n.cfi_adjust_cfa_offset -56\nret\n.cfi_endproc\n.size " #name           \
          ", . - " #name "\n.popsection\n")

namespace abut::light {

inline Frame frame_of(const near::Captured *captured) {
  return {&captured->words[near::Captured::kReturnAddress], captured->words[1]};
}

// What release() does with what is no small block of the running thread, perhaps another one's; and where there is more
// to do than to write it down.
[[gnu::noinline]] inline void release_other(const char *call, void *memory) {
  if (memory == nullptr) return;
  if (os::has_one_thread() && ring::lane.is_ready()) {
    ring::lane.put_ready(event(ring::Kind::free, reinterpret_cast<Address>(memory)));
  } else if (ring::lane.is_deaf()) {
    ring::lane.drop();
  } else if (ring::is_recording()) {
    order();
    freed(memory);
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
  if (ring::lane.is_ready()) [[likely]]
    ring::lane.put_ready(event(ring::Kind::free, reinterpret_cast<Address>(memory)));
  else if (ring::lane.is_deaf())
    ring::lane.drop();
  else
    return release_slow(call, memory);
  heap::release_own_small(heap, memory, size);
}

// A small block beside its friend, if it has one; null where that is not to be had.
inline void *allocate_placed(size_t bytes, const near::Captured *captured) {
  const Address site = captured->words[near::Captured::kReturnAddress];
  if (bytes - (heap::kTinyMax + 1) > heap::kSmallMax - (heap::kTinyMax + 1)) return nullptr;
  if (near::is_plain(site)) return nullptr;
  const Address context = near::context_to_place(bytes, site);
  if (context == 0) return nullptr;
  void *memory = near::allocate_beside(bytes, *captured, context);
  return memory != nullptr ? memory : near::allocate(bytes, *captured, context);
}

} // namespace abut::light
