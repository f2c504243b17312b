// Programs whose objects have friends, as compilers make them, under the library.
#include "abut/abut.h"
#include "support/random.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <list>
#include <map>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <ucontext.h>
#include <unordered_map>
#include <vector>

namespace {

constexpr std::size_t kLine = 64;

struct Node {
  Node *next;
  std::uint64_t value;
};

struct List {
  Node *head = nullptr;
  Node *tail = nullptr;
};

bool abut_each_other(const void *one, const void *other) {
  const auto first = reinterpret_cast<std::uintptr_t>(one) / kLine;
  const auto second = reinterpret_cast<std::uintptr_t>(other) / kLine;
  return second - first + 1 <= 2;
}

struct Share {
  std::size_t steps = 0, close = 0;
  void count(const void *one, const void *other) {
    ++steps;
    close += abut_each_other(one, other);
  }
  [[nodiscard]] double value() const {
    return static_cast<double>(close) / static_cast<double>(steps);
  }
};

__attribute__((noinline)) void append(List &list, std::uint64_t value) {
  auto *node = static_cast<Node *>(std::malloc(sizeof(Node)));
  node->next = nullptr;
  node->value = value;
  if (list.tail != nullptr)
    list.tail->next = node;
  else
    list.head = node;
  list.tail = node;
}

std::vector<List> build(std::size_t lists, std::size_t nodes, std::uint64_t seed) {
  std::vector<List> all(lists);
  support::Random random(seed);
  for (std::size_t i = 0; i < nodes; ++i) append(all[random.below(lists)], i);
  return all;
}

// The share of nodes that lie on the line of the one before, or on the next; checks the order on the way.
double share_abutting(const std::vector<List> &lists) {
  Share share;
  for (const List &list : lists)
    for (const Node *node = list.head; node != nullptr && node->next != nullptr;
         node = node->next) {
      EXPECT_LT(node->value, node->next->value);
      share.count(node, node->next);
    }
  return share.value();
}

double share_abutting(const std::vector<std::list<std::uint64_t>> &lists) {
  Share share;
  for (const auto &list : lists) {
    const std::uint64_t *last = nullptr;
    for (const std::uint64_t &value : list) {
      if (last != nullptr) share.count(last, &value);
      last = &value;
    }
  }
  return share.value();
}

void destroy(std::vector<List> &lists) {
  for (List &list : lists) {
    while (Node *node = list.head) {
      list.head = node->next;
      std::free(node);
    }
  }
  lists.clear();
}

TEST(Friends, NodesOfAListAbut) {
  auto lists = build(500, 800'000, 1);
  EXPECT_GT(share_abutting(lists), 0.8);
  destroy(lists);
}

TEST(Friends, NodesOfAStandardListAbut) {
  std::vector<std::list<std::uint64_t>> lists(500);
  support::Random random(2);
  for (std::uint64_t i = 0; i < 400'000; ++i) lists[random.below(lists.size())].push_back(i);
  for (const auto &list : lists) EXPECT_TRUE(std::is_sorted(list.begin(), list.end()));
  EXPECT_GT(share_abutting(lists), 0.8);
}

__attribute__((noinline)) Node *insert_after(Node *place, std::uint64_t value) {
  auto *node = static_cast<Node *>(std::malloc(sizeof(Node)));
  node->value = value;
  node->next = place->next;
  place->next = node;
  return node;
}

TEST(Friends, NodesOfListsThatAreInsertedIntoAbut) {
  std::vector<Node> heads(400, Node{nullptr, 0});
  std::vector<Node *> cursors;
  for (Node &head : heads) cursors.push_back(&head);
  support::Random random(11);
  std::vector<std::size_t> lengths(heads.size());
  for (std::uint64_t i = 0; i < 600'000; ++i) {
    const std::size_t at = random.below(heads.size());
    cursors[at] = insert_after(cursors[at], i);
    ++lengths[at];
    if (i % 64 == 0) cursors[at] = &heads[at];
  }
  Share share;
  for (std::size_t at = 0; at < heads.size(); ++at) {
    std::size_t length = 0;
    for (Node *node = heads[at].next, *next = nullptr; node != nullptr; node = next, ++length) {
      next = node->next;
      if (next != nullptr) share.count(node, next);
      std::free(node);
    }
    ASSERT_EQ(length, lengths[at]);
  }
  EXPECT_GT(share.value(), 0.6);
}

TEST(Friends, NodesOfStandardListsThatAreInsertedIntoAbut) {
  std::vector<std::list<std::uint64_t>> lists(400);
  std::vector<std::list<std::uint64_t>::iterator> cursors;
  for (auto &list : lists) cursors.push_back(list.end());
  support::Random random(12);
  for (std::uint64_t i = 0; i < 300'000; ++i) {
    const std::size_t at = random.below(lists.size());
    cursors[at] = lists[at].insert(cursors[at], i);
    if (i % 64 == 0) cursors[at] = lists[at].begin();
  }
  EXPECT_GT(share_abutting(lists), 0.2);
}

// What build() does, by a procedure that has next to nothing on its stack.
std::vector<List> short_lists(500);
support::Random short_random(3);
std::uint64_t short_value;
void build_short() {
  for (short_value = 0; short_value < 800'000; ++short_value)
    append(short_lists[short_random.below(short_lists.size())], short_value);
}

// Words of the callers' are looked at as far as the stack goes, behind which nothing can be read.
TEST(Friends, NodesAbutWhereTheStackEndsRightBehindTheCaller) {
  constexpr std::size_t kStack = 64 * 1024, kGuard = 4096;
  void *stack =
      mmap(nullptr, kStack + kGuard, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(stack, MAP_FAILED);
  ASSERT_EQ(mprotect(static_cast<char *>(stack) + kStack, kGuard, PROT_NONE), 0);
  ucontext_t here, there;
  ASSERT_EQ(getcontext(&there), 0);
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = kStack;
  there.uc_link = &here;
  makecontext(&there, build_short, 0);
  ASSERT_EQ(swapcontext(&here, &there), 0);
  EXPECT_GT(share_abutting(short_lists), 0.8);
  destroy(short_lists);
  munmap(stack, kStack + kGuard);
}

TEST(Friends, ListsOfThreadsThatBuildAtOnceStayWhole) {
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < 4; ++i)
    threads.emplace_back([i] {
      // How much abuts depends on who finds out what first; that no list is harmed does not.
      auto lists = build(300, 150'000, i);
      EXPECT_GE(share_abutting(lists), 0.0);
      destroy(lists);
    });
  for (std::thread &thread : threads) thread.join();
}

TEST(Friends, ListsThatAreFreedElsewhereStayWhole) {
  for (int round = 0; round < 4; ++round) {
    std::vector<List> lists;
    std::thread builder([&] { lists = build(300, 100'000, 7); });
    builder.join();
    share_abutting(lists);
    std::thread breaker([&] { destroy(lists); });
    breaker.join();
  }
}

TEST(Friends, ChurnLeavesListsWhole) {
  auto lists = build(400, 100'000, 3);
  support::Random random(4);
  for (std::uint64_t round = 1; round < 12; ++round) {
    for (List &list : lists) {
      Node **link = &list.head;
      list.tail = nullptr;
      while (Node *node = *link) {
        if (random.below(4) != 0) {
          *link = node->next;
          std::free(node);
        } else {
          list.tail = node;
          link = &node->next;
        }
      }
    }
    for (std::size_t i = 0; i < 75'000; ++i)
      append(lists[random.below(lists.size())], round * 1'000'000 + i);
    share_abutting(lists);
  }
  destroy(lists);
}

TEST(Friends, TreesAndTablesStayWhole) {
  std::map<std::uint64_t, std::string> tree;
  std::unordered_map<std::uint64_t, std::uint64_t> table;
  support::Random random(5);
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    const std::uint64_t key = random.below(100'000);
    if (i % 3 == 2) {
      tree.erase(key);
      table.erase(key);
    } else {
      tree[key] = std::to_string(key);
      table[key] = key;
    }
  }
  ASSERT_EQ(tree.size(), table.size());
  for (const auto &[key, text] : tree) {
    EXPECT_EQ(text, std::to_string(key));
    EXPECT_EQ(table.at(key), key);
  }
}

TEST(Friends, CallocInAChainIsZero) {
  struct Wide {
    Wide *next;
    char zero[40];
  };
  std::vector<Wide *> tails(300);
  support::Random random(6);
  std::vector<Wide *> all;
  const char zero[sizeof(Wide::zero)] = {};
  for (int i = 0; i < 200'000; ++i) {
    Wide *&tail = tails[random.below(tails.size())];
    auto *node = static_cast<Wide *>(std::calloc(1, sizeof(Wide)));
    ASSERT_EQ(node->next, nullptr);
    ASSERT_EQ(std::memcmp(node->zero, zero, sizeof zero), 0);
    if (tail != nullptr) tail->next = node;
    tail = node;
    std::memset(node->zero, 0x77, sizeof zero);
    all.push_back(node);
  }
  for (Wide *node : all) std::free(node);
}

TEST(Friends, ANamedFriendIsNear) {
  std::vector<Node *> tails(1000);
  for (Node *&tail : tails) tail = static_cast<Node *>(std::malloc(sizeof(Node)));
  std::vector<void *> all(tails.begin(), tails.end());
  std::size_t close = 0;
  constexpr int kRounds = 100;
  for (int round = 0; round < kRounds; ++round)
    for (Node *&tail : tails) {
      auto *node = static_cast<Node *>(abut_malloc_near(sizeof(Node), tail));
      std::memset(static_cast<void *>(node), 0x33, sizeof(Node));
      close += abut_each_other(tail, node);
      tail = node;
      all.push_back(node);
    }
  EXPECT_GT(close, tails.size() * kRounds / 2);
  for (void *block : all) std::free(block);
}

TEST(Friends, ANamedFriendMayBeAnything) {
  int variable = 0;
  void *large = std::malloc(1 << 22);
  for (const void *other :
       {static_cast<const void *>(nullptr), static_cast<const void *>(&variable),
        static_cast<const void *>(large), reinterpret_cast<const void *>(std::uintptr_t{1})})
    for (const std::size_t bytes : {0, 1, 8, 24, 256, 257, 5000, 1 << 20}) {
      void *block = abut_malloc_near(bytes, other);
      ASSERT_NE(block, nullptr);
      std::memset(block, 1, bytes);
      std::free(block);
      block = abut_calloc_near(1, bytes, other);
      ASSERT_NE(block, nullptr);
      for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(static_cast<char *>(block)[i], 0);
      std::free(block);
    }
  std::free(large);
}

} // namespace
