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

// As entry::release. The free is told before it happens, and of this thread's own small blocks, which most are, at no
// other thread's cost.
[[gnu::always_inline]] inline void release(const char *call, void *memory) {
  if (!os::has_one_thread() && heap::own_small_size(heap::current, memory) == 0) order();
  freed(memory);
  entry::release(call, memory);
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
