// The stub in front of a body that reads its caller's registers.
#pragma once

// ABUT_CAPTURE("abut_capture_malloc", "abut_placed_malloc") defines
//   void *abut_capture_malloc(size_t bytes, Address context)
// to be jumped to while the registers still are those of malloc's caller, and to call
//   void *abut_placed_malloc(size_t bytes, const near::Captured *, Address context)
// The order of near::Captured. The unwind information lets an exception of operator new pass.
#define ABUT_CAPTURE(name, body)                                                                   \
  __asm__(".text\n.p2align 4\n.globl " name "\n.hidden " name "\n.type " name ", @function\n" name \
          ":\n.cfi_startproc\nendbr64\n"                                                           \
          "push %r15\n.cfi_adjust_cfa_offset 8\npush %r14\n.cfi_adjust_cfa_offset 8\n"             \
          "push %r13\n.cfi_adjust_cfa_offset 8\npush %r12\n.cfi_adjust_cfa_offset 8\n"             \
          "push %rbp\n.cfi_adjust_cfa_offset 8\npush %rbx\n.cfi_adjust_cfa_offset 8\n"             \
          "mov %rsi, %rdx\nmov %rsp, %rsi\nsub $8, %rsp\n.cfi_adjust_cfa_offset 8\ncall " body     \
          "\nadd $56, %rsp\n.cfi_adjust_cfa_offset -56\nret\n.cfi_endproc\n.size " name            \
          ", . - " name "\n")
