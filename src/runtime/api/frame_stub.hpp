// ABUT_FRAME("name", "%rsi", "%rdx", "body") defines `name` to go on at `body` with where the caller's frame is in those
// registers. Reached by a jump, the stack pointer still points to the return address of malloc, calloc or new.
#pragma once

#define ABUT_FRAME(name, sp, rbp, body)                                                            \
  __asm__(".text\n.p2align 4\n.globl " name "\n.hidden " name "\n.type " name ", @function\n" name \
          ":\n.cfi_startproc\nendbr64\nmov %rsp, " sp "\nmov %rbp, " rbp "\njmp " body             \
          "\n.cfi_endproc\n.size " name ", . - " name "\n")
