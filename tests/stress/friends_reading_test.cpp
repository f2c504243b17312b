// What is read on the way to a friend: only what is there, whatever the program has in the register that a rule begins from.
#include "support/child.hpp"
#include "support/opaque.hpp"
#include "support/random.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <vector>

using support::opaque;
using support::require;

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kSegment = 4U << 20;

struct Node {
  Node *next;
  std::uint64_t rest[5];
};

struct List {
  Node *head = nullptr;
  Node *tail = nullptr;
};

void link(List *list, Node *node) {
  if (list->tail != nullptr)
    list->tail->next = node;
  else
    list->head = node;
  list->tail = node;
}

// A call site whose objects have the list's last one as their friend. Of a list that is not linked to, nothing is read.
[[gnu::noinline]] Node *append(List *list, bool is_linked, std::size_t count = 1) {
  auto *node = static_cast<Node *>(std::calloc(count, sizeof(Node)));
  if (is_linked) link(list, node);
  return node;
}

// Until the site has a rule. In a child, which ends with all of it.
template <class Append>
std::vector<List> &built(Append append_to) {
  static std::vector<List> lists(1000);
  support::Random random(1);
  for (int i = 0; i < 400'000; ++i) append_to(&lists[random.below(lists.size())]);
  return lists;
}
std::vector<List> &built() {
  return built([](List *list) { append(list, true); });
}

TEST(FriendsReading, ManyObjectsAtOnceAreNoneOfTheirs) {
  const support::Outcome outcome = support::in_child([] {
    std::vector<List> &lists = built();
    require(append(&lists[3], false, opaque((std::size_t{1} << 32) + 1)) == nullptr, "206 GB");
    const Node *many = append(&lists[3], false, 1000);
    for (std::size_t i = 0; i < 1000; ++i) require(many[i].next == nullptr, "all is zero");
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

TEST(FriendsReading, AWordThatWouldEndBehindTheHeapIsLeftAlone) {
  const support::Outcome outcome = support::in_child([] {
    std::vector<List> &lists = built();
    unsigned char resident = 0;
    auto end = reinterpret_cast<std::uintptr_t>(lists[0].tail) & ~(kSegment - 1);
    while (mincore(reinterpret_cast<void *>(end), kPage, &resident) == 0) end += kPage;
    append(reinterpret_cast<List *>(end - 4 - offsetof(List, tail)), false);
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}

#if defined(__x86_64__)
extern "C" void *abut_test_call_on(void *(*function)(void *), void *argument, char *stack_end);
__asm__(".text\n"
        "abut_test_call_on:\n"
        "  push %rbp\n"
        "  mov %rsp, %rbp\n"
        "  mov %rdi, %rax\n"
        "  mov %rsi, %rdi\n"
        "  mov %rdx, %rsp\n"
        "  call *%rax\n"
        "  mov %rbp, %rsp\n"
        "  pop %rbp\n"
        "  ret\n");

// As the first function of a coroutine may end: with a jump to malloc.
[[gnu::noinline]] void *make_node(void *) { return std::malloc(sizeof(Node)); }

TEST(FriendsReading, NothingLiesBehindAReturnAddressAtTheEndOfAStack) {
  const support::Outcome outcome = support::in_child([] {
    auto *stack = static_cast<char *>(
        mmap(nullptr, 32 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    char *end = stack + 16 * kPage;
    munmap(end, 16 * kPage);
    built([end](List *list) {
      auto *node = static_cast<Node *>(abut_test_call_on(make_node, list, end));
      node->next = nullptr;
      link(list, node);
    });
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
}
#endif

} // namespace
