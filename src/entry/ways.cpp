// The ways to placement where a rule wants a word or two of its caller's: read right where they are, they need not be put on
// the stack with all the others. A way is jumped to, and goes on by a jump, so that the registers still are the caller's for
// who has to look closer.
#include "entry/calls.hpp"
#include "entry/capture_stub.hpp"
#include "entry/export.hpp"

#include <cstddef>

using namespace abut;

// In the order of near::way_to(). Slots are on the page of the stack pointer, or else all is captured: `-48` is where the
// captured words would begin.
#define ABUT_EACH_WAY(call, what)                                                                  \
  ".irp base, rbx, rbp, r12, r13, r14, r15, slot\n"                                                \
  ".irp index, rbx, rbp, r12, r13, r14, r15, none\n" what " " call                                 \
  " \\base \\index\n.endr\n.endr\n"
__asm__(
    ".macro abut_way call base index\n"
    ".p2align 4\n.type abut_way_\\call\\()_\\base\\()_\\index, @function\n"
    "abut_way_\\call\\()_\\base\\()_\\index:\n.cfi_startproc\nendbr64\n"
    ".ifc \\base, slot\n"
    "lea -48(%rsp), %edx\nmovzbl 0x21(%rsi), %eax\nand $0xfff, %edx\nadd %eax, %edx\n"
    "cmp $0xfff, %edx\nja abut_capture_\\call\n"
    "movzbl 0x24(%rsi), %eax\nmov -48(%rsp, %rax, 8), %rdx\n"
    ".else\nmov %\\base, %rdx\n.endif\n"
    ".ifnc \\index, none\nmovzbl 0x26(%rsi), %eax\nimul %\\index, %rax\nadd %rax, %rdx\n.endif\n"
    "jmp abut_beside_\\call\n.cfi_endproc\n"
    ".size abut_way_\\call\\()_\\base\\()_\\index, . - abut_way_\\call\\()_\\base\\()_\\index\n"
    ".endm\n"
    ".macro abut_way_address call base index\n.quad abut_way_\\call\\()_\\base\\()_\\index\n.endm\n"
    ".macro abut_ways call\n"
    ".text\n" ABUT_EACH_WAY(
        "\\call",
        "abut_way") ".pushsection .data.rel.ro, \"aw\", @progbits\n.p2align 3\n"
                    ".globl abut_\\call\\()_ways\n.hidden abut_\\call\\()_ways\n"
                    ".type abut_\\call\\()_ways, @object\nabut_\\call\\()_ways:\n" ABUT_EACH_WAY(
                        "\\call", "abut_way_address") ".quad abut_capture_\\call\n"
                                                      ".size abut_\\call\\()_ways, . - "
                                                      "abut_\\call\\()_ways\n.popsection\n.endm\n"
                                                      "abut_ways malloc\nabut_ways new\n");

// What the ways read of a context's first rule.
static_assert(offsetof(near::Context, rules) == 0x20 && offsetof(near::Rule, reach) == 1 &&
              offsetof(near::Rule, first) == 4 && offsetof(near::Expression, base) == 0 &&
              offsetof(near::Expression, scale) == 2 && near::Captured::kRegisters == 6);

ABUT_CAPTURE("abut_search_malloc", "abut_searched_malloc");
ABUT_CAPTURE("abut_search_new", "abut_searched_new");

namespace {

template <entry::Way Search>
[[gnu::noinline]] void *forward_or_search(size_t bytes, Address context) {
  void *memory = near::forward(bytes, context);
  return memory != nullptr ? memory : Search(bytes, context);
}

template <entry::Way Search>
[[gnu::always_inline]] inline void *beside(size_t bytes, Address context, Address base) {
  if (void *memory = near::allocate_beside(bytes, context, base)) [[likely]]
    return memory;
  return near::forwards ? forward_or_search<Search>(bytes, context) : Search(bytes, context);
}

} // namespace

ABUT_BODY void *abut_beside_malloc(size_t bytes, Address context, Address base) {
  return beside<abut_search_malloc>(bytes, context, base);
}

ABUT_BODY void *abut_beside_new(size_t bytes, Address context, Address base) {
  return beside<abut_search_new>(bytes, context, base);
}

ABUT_BODY void *abut_searched_malloc(size_t bytes, const near::Captured *captured,
                                     Address context) {
  near::check_way(bytes, *captured, context);
  return entry::or_no_memory(near::allocate(bytes, *captured, context));
}
