// Whatever register or slot of the stack leads to a friend, perhaps by an index in another register: the object lies beside
// it. Each pair asks for its objects at a site of its own, where everything else that might lead there is out of sight, and
// in a process of its own, where nothing was learned before.
#include "support/random.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

struct Linked {
  Linked *next;
  std::uint64_t value[3];
};
struct List {
  Linked *head, *tail;
};

// `base` is passed inverted, so that nothing but the site itself holds it.
using Request = void *(std::uint64_t inverted_base, std::uint64_t index, std::size_t bytes);

} // namespace

// request_CALL_BASE_INDEX: saved registers are inverted, too, while the call is made. What it got is kept, too: or it would be a
// wrapper, whose site stands for its callers'.
#define EACH_REGISTER "rbx, rbp, r12, r13, r14, r15"
__asm__(".macro request function call base index\n"
        ".p2align 4\n.type request_\\call\\()_\\base\\()_\\index, @function\n"
        "request_\\call\\()_\\base\\()_\\index:\n.cfi_startproc\nendbr64\n"
        ".irp saved, " EACH_REGISTER "\n"
        "push %\\saved\n.cfi_adjust_cfa_offset 8\nnotq (%rsp)\nxor %\\saved, %\\saved\n.endr\n"
        "push $0\npush $0\npush $0\n.cfi_adjust_cfa_offset 24\n"
        "not %rdi\n"
        ".ifnc \\index, none\nmov %rsi, %\\index\n.endif\n"
        ".ifc \\base, slot\nmov %rdi, 8(%rsp)\n.else\nmov %rdi, %\\base\n.endif\n"
        "mov %rdx, %rdi\ncall \\function@PLT\nmov %rax, requested(%rip)\n"
        "add $24, %rsp\n.cfi_adjust_cfa_offset -24\n"
        ".irp saved, r15, r14, r13, r12, rbp, rbx\n"
        "pop %\\saved\n.cfi_adjust_cfa_offset -8\nnot %\\saved\n.endr\n"
        "ret\n.cfi_endproc\n"
        ".size request_\\call\\()_\\base\\()_\\index, . - request_\\call\\()_\\base\\()_\\index\n"
        ".endm\n"
        ".macro address call base index\n.quad request_\\call\\()_\\base\\()_\\index\n.endm\n"
        ".macro requests function call\n"
        ".irp base, " EACH_REGISTER ", slot\n.irp index, " EACH_REGISTER ", none\n"
        "request \\function \\call \\base \\index\n.endr\n.endr\n"
        ".pushsection .data.rel.ro, \"aw\", @progbits\n.p2align 3\n"
        ".globl requests_\\call\nrequests_\\call:\n"
        ".irp base, " EACH_REGISTER ", slot\n.irp index, " EACH_REGISTER ", none\n"
        "address \\call \\base \\index\n.endr\n.endr\n.popsection\n"
        ".endm\n"
        ".local requested\n.comm requested, 8, 8\n"
        ".text\nrequests malloc, malloc\nrequests _Znwm, new\n");

namespace {

constexpr std::size_t kRegisters = 6;
constexpr std::array<const char *, kRegisters + 1> kBases = {"rbx", "rbp", "r12", "r13",
                                                             "r14", "r15", "slot"};
constexpr std::size_t kWays = (kRegisters + 1) * (kRegisters + 1);

} // namespace

extern Request *const kRequestsMalloc[kWays] __asm__("requests_malloc");
extern Request *const kRequestsNew[kWays] __asm__("requests_new");

namespace {

// The share of nodes that lie right behind the one before them.
double share_that_abuts(Request *request, bool has_index, std::uint64_t seed) {
  constexpr std::size_t kLists = 64, kNodes = 480'000;
  std::vector<List> lists(kLists);
  support::Random random(seed);
  const auto first = reinterpret_cast<std::uintptr_t>(lists.data());
  for (std::size_t i = 0; i < kNodes; ++i) {
    const std::size_t at = random.below(kLists);
    const std::uintptr_t base = has_index ? first : first + at * sizeof(List);
    auto *node = static_cast<Linked *>(request(~base, has_index ? at : 0, sizeof(Linked)));
    node->next = nullptr;
    node->value[0] = i;
    List &list = lists[at];
    (list.tail != nullptr ? list.tail->next : list.head) = node;
    list.tail = node;
  }
  std::size_t steps = 0, close = 0;
  for (const List &list : lists)
    for (const Linked *node = list.head; node->next != nullptr; node = node->next, ++steps)
      close +=
          reinterpret_cast<std::uintptr_t>(node->next) - reinterpret_cast<std::uintptr_t>(node) ==
          sizeof(Linked);
  return static_cast<double>(close) / static_cast<double>(steps);
}

// The same from a frame so far below the end of its page, so that what leads to the friend may lie on the next one.
double share_below_page_end(std::size_t distance, Request *request, std::uint64_t seed) {
  constexpr std::size_t kPage = 4096;
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  void *volatile below = __builtin_alloca((frame + kPage - distance) % kPage);
  (void)below;
  return share_that_abuts(request, false, seed);
}

// In percent.
template <class Share>
int in_a_child(const Share &share) {
  const pid_t child = fork();
  if (child == 0) _exit(static_cast<int>(100 * share()));
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}
int share_in_a_child(Request *request, bool has_index, std::uint64_t seed) {
  return in_a_child([=] { return share_that_abuts(request, has_index, seed); });
}

void check_all(Request *const requests[], std::uint64_t seed) {
  for (std::size_t base = 0; base <= kRegisters; ++base)
    for (std::size_t index = 0; index <= kRegisters; ++index) {
      if (index == base && index < kRegisters) continue; // one register holds one word
      const bool has_index = index < kRegisters;
      const std::string name =
          std::string(kBases[base]) + (has_index ? " + " : "") + (has_index ? kBases[index] : "");
      Request *request = requests[base * (kRegisters + 1) + index];
      EXPECT_GT(share_in_a_child(request, has_index, seed + base), 75) << name;
    }
}

TEST(FriendWays, AnyRegisterOrSlotLeadsMallocThere) { check_all(kRequestsMalloc, 1); }
TEST(FriendWays, AnyRegisterOrSlotLeadsNewThere) { check_all(kRequestsNew, 2); }

TEST(FriendWays, SoDoesASlotOnTheStacksNextPage) {
  Request *by_slot = kRequestsMalloc[kRegisters * (kRegisters + 1) + kRegisters];
  for (std::size_t distance = 0; distance < 1024; distance += 64)
    EXPECT_GT(in_a_child([=] { return share_below_page_end(distance, by_slot, 3); }), 75)
        << distance;
}

} // namespace
