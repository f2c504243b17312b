// The ways to placement where a rule wants a word or two of its caller's: read right where they are, they need not be put on
// the stack with all the others. A way is jumped to, and goes on by a jump, so that the registers still are the caller's for
// who has to look closer.
#pragma once

#include "api/capture_stub.hpp"
#include "placement/friends/placement.hpp"

#include <cstddef>

namespace abut::entry {

// To where the words of the context's first rule are read, or the caller's group is found. A way is told the context, which
// what is known of the site begins.
static_assert(offsetof(near::Context, known) == 0);
[[gnu::always_inline]] inline void *go(Call call, size_t bytes, const KnownSite &known) {
  return known.way_of(call)(bytes, reinterpret_cast<Address>(&known));
}

// What the ways read of it.
static_assert(offsetof(near::Context, first) == 0x38 && offsetof(near::Rule, reach) == 16 &&
              offsetof(near::Rule, first) == 24 && offsetof(near::Expression, base) == 0 &&
              offsetof(near::Expression, scale) == 2 && near::Captured::kRegisters == 6 &&
              near::kMostStack == 0x800000);

} // namespace abut::entry

// clang-format off
#define ABUT_EACH_WAY(what)                                                                        \
  ".irp target, beside, forward\n"                                                                 \
  ".irp base, rbx, rbp, r12, r13, r14, r15, slot\n"                                                \
  ".irp index, rbx, rbp, r12, r13, r14, r15, none\n"                                               \
  what " \\prefix \\target \\call \\base \\index\n.endr\n.endr\n.endr\n"

// ABUT_WAYS("abut", "malloc", "abut_pooled_malloc") defines the table abut_malloc_ways, in the order of near::way_to(), whose
// last two are
//   void *abut_capture_malloc(size_t bytes, Address context)
//   void *abut_pooled_malloc(size_t bytes, Address known)
// and the ways to
//   void *abut_beside_malloc(size_t bytes, Address context, Address base)
// and, where placement is only measured, to
//   void *abut_forward_malloc(size_t bytes, Address context, Address base)
// Slots are on the page of the stack pointer or on the first thread's stack, which goes on behind what calls malloc, or else
// all is captured: the captured words would begin at -48(%rsp). Only in the last 256 bytes of a page that has to be looked at,
// by the farthest slot that is wanted.
#define ABUT_WAYS(prefix, call, group)                                                             \
  __asm__(".macro abut_way prefix target call base index\n"                                        \
          ".p2align 4\n"                                                                           \
          ".type \\prefix\\()_way_\\target\\()_\\call\\()_\\base\\()_\\index, @function\n"         \
          "\\prefix\\()_way_\\target\\()_\\call\\()_\\base\\()_\\index:\n"                         \
          ".cfi_startproc\nendbr64\n"                                                              \
          ".ifc \\base, slot\n"                                                                    \
          "lea 256(%rsp), %edx\ntest $0xf00, %edx\nje 1f\n"                                        \
          "0: movzbl 0x50(%rsi), %eax\nmov -48(%rsp, %rax, 8), %rdx\n"                             \
          ".else\nmov %\\base, %rdx\n.endif\n"                                                     \
          ".ifnc \\index, none\n"                                                                  \
          "movzbl 0x52(%rsi), %eax\nimul %\\index, %rax\nadd %rax, %rdx\n"                         \
          ".endif\n"                                                                               \
          "jmp \\prefix\\()_\\target\\()_\\call\n"                                                 \
          ".ifc \\base, slot\n"                                                                    \
          "1: lea -48(%rsp), %edx\nmovzbl 0x48(%rsi), %eax\nand $0xfff, %edx\n"                    \
          "add %eax, %edx\ncmp $0xfff, %edx\njbe 0b\n"                                             \
          "mov abut_first_stack_end(%rip), %rax\nsub %rsp, %rax\n"                                 \
          "cmp $0x800000, %rax\njb 0b\njmp \\prefix\\()_capture_\\call\n.endif\n"                  \
          ".cfi_endproc\n"                                                                         \
          ".size \\prefix\\()_way_\\target\\()_\\call\\()_\\base\\()_\\index, . - "                \
          "\\prefix\\()_way_\\target\\()_\\call\\()_\\base\\()_\\index\n"                          \
          ".endm\n"                                                                                \
          ".macro abut_way_address prefix target call base index\n"                                \
          ".quad \\prefix\\()_way_\\target\\()_\\call\\()_\\base\\()_\\index\n.endm\n"             \
          ".macro abut_ways prefix call group\n"                                                   \
          ".text\n" ABUT_EACH_WAY("abut_way")                                                      \
          ".pushsection .data.rel.ro, \"aw\", @progbits\n.p2align 3\n"                             \
          ".globl abut_\\call\\()_ways\n.hidden abut_\\call\\()_ways\n"                            \
          ".type abut_\\call\\()_ways, @object\nabut_\\call\\()_ways:\n"                           \
          ABUT_EACH_WAY("abut_way_address")                                                        \
          ".quad \\prefix\\()_capture_\\call, \\group\n"                                           \
          ".size abut_\\call\\()_ways, . - abut_\\call\\()_ways\n"                                 \
          ".popsection\n.endm\n"                                                                   \
          "abut_ways " prefix " " call " " group "\n"                                              \
          ".purgem abut_way\n.purgem abut_way_address\n.purgem abut_ways\n")
// clang-format on
