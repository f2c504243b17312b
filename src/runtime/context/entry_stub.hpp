// Entry points that hand over the frame of their caller: the stack pointer at entry, and rbp, behind the arguments.
//
// ABUT_ENTRY_STUB_2(calloc, calloc_at) defines `calloc` to go on at
//   extern "C" void *calloc_at(size_t, size_t, const uintptr_t *sp, uintptr_t rbp)
// with the same return address; so it costs two moves and a jump. `implementation` is extern "C", hidden and used.
#pragma once

#define ABUT_ENTRY_STUB_(name, implementation, sp_register, rbp_register)                          \
  asm(".pushsection .text\n"                                                                       \
      ".balign 16\n"                                                                               \
      ".globl " #name "\n"                                                                         \
      ".type " #name ", @function\n" #name ":\n"                                                   \
      ".cfi_startproc\n"                                                                           \
      "endbr64\n"                                                                                  \
      "mov %rsp, %" sp_register "\n"                                                               \
      "mov %rbp, %" rbp_register "\n"                                                              \
      "jmp " #implementation "\n"                                                                  \
      ".cfi_endproc\n"                                                                             \
      ".size " #name ", . - " #name "\n"                                                           \
      ".popsection\n")

// By the number of arguments that the entry point itself has.
#define ABUT_ENTRY_STUB_1(name, implementation) ABUT_ENTRY_STUB_(name, implementation, "rsi", "rdx")
#define ABUT_ENTRY_STUB_2(name, implementation) ABUT_ENTRY_STUB_(name, implementation, "rdx", "rcx")
#define ABUT_ENTRY_STUB_3(name, implementation) ABUT_ENTRY_STUB_(name, implementation, "rcx", "r8")
