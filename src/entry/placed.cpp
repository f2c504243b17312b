// The way to placement beside friends: the caller's registers are put on the stack, where they can be looked at.
#include "entry/calls.hpp"
#include "entry/export.hpp"

#include <cstring>

using namespace abut;

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

ABUT_CAPTURE("abut_capture_malloc", "abut_placed_malloc");
ABUT_CAPTURE("abut_capture_calloc", "abut_placed_calloc");
ABUT_CAPTURE("abut_capture_new", "abut_placed_new");

namespace {

[[gnu::noinline]] void *look_closer(size_t bytes, const near::Captured *captured, Address context) {
  return entry::or_no_memory(near::allocate(bytes, *captured, context));
}

[[gnu::always_inline]] inline void *allocate_placed(size_t bytes, const near::Captured *captured,
                                                    Address context) {
  void *memory = near::allocate_beside(bytes, *captured, context);
  return memory != nullptr ? memory : look_closer(bytes, captured, context);
}

} // namespace

ABUT_BODY void *abut_placed_malloc(size_t bytes, const near::Captured *captured, Address context) {
  return allocate_placed(bytes, captured, context);
}

ABUT_BODY void *abut_placed_calloc(size_t bytes, const near::Captured *captured, Address context) {
  void *memory = allocate_placed(bytes, captured, context);
  if (memory != nullptr) std::memset(memory, 0, bytes);
  return memory;
}
