// How an entry point is declared: visible outside the library, which is otherwise closed.
#pragma once

#define ABUT_EXPORT extern "C" __attribute__((visibility("default"), used))
#define ABUT_BODY extern "C" __attribute__((visibility("hidden"), used))
#define ABUT_EXPORT_CXX __attribute__((visibility("default"), used))

// An entry point that has to know who called it: a few lines of assembly, which hand the stack pointer on as the second
// argument (`ABUT_TAIL_1`) or the third. The body is an ordinary function of the name `body`.
#define ABUT_STUB(name, body, stack_register)                                                      \
  __asm__(".text\n.p2align 4\n.globl " name "\n.type " name ", @function\n" name ":\n"             \
          ".cfi_startproc\nendbr64\nmov %rsp, %" stack_register "\njmp " body "\n.cfi_endproc\n"   \
          ".size " name ", . - " name "\n")
