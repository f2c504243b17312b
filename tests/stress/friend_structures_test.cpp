// The structures whose objects have friends, beside lists that are appended to: all stay whole, whatever was learned of
// them, and what has one successor lies beside it.
#include "support/random.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <list>
#include <vector>

namespace {

constexpr std::size_t kLine = 64;

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

struct Node {
  Node *next;
  std::uint64_t value;
};

__attribute__((noinline)) Node *insert_after(Node *place, std::uint64_t value) {
  auto *node = static_cast<Node *>(std::malloc(sizeof(Node)));
  node->value = value;
  node->next = place->next;
  place->next = node;
  return node;
}

TEST(FriendStructures, ListsThatAreInsertedIntoAbut) {
  std::vector<Node> heads(400, Node{nullptr, 0});
  std::vector<Node *> cursors;
  for (Node &head : heads) cursors.push_back(&head);
  support::Random random(11);
  std::vector<std::size_t> lengths(heads.size());
  for (std::uint64_t i = 0; i < 300'000; ++i) {
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

TEST(FriendStructures, StandardListsThatAreInsertedIntoAbut) {
  std::vector<std::list<std::uint64_t>> lists(400);
  std::vector<std::list<std::uint64_t>::iterator> cursors;
  for (auto &list : lists) cursors.push_back(list.end());
  support::Random random(12);
  for (std::uint64_t i = 0; i < 300'000; ++i) {
    const std::size_t at = random.below(lists.size());
    cursors[at] = lists[at].insert(cursors[at], i);
    if (i % 64 == 0) cursors[at] = lists[at].begin();
  }
  Share share;
  std::size_t nodes = 0;
  for (const auto &list : lists) {
    const std::uint64_t *last = nullptr;
    for (const std::uint64_t &value : list) {
      if (last != nullptr) share.count(last, &value);
      last = &value;
      ++nodes;
    }
  }
  EXPECT_EQ(nodes, 300'000U);
  EXPECT_GT(share.value(), 0.2);
}

struct Leaf {
  Leaf *left, *right;
  std::uint64_t key;
};

__attribute__((noinline)) void insert(Leaf **place, std::uint64_t key) {
  while (*place != nullptr) {
    if ((*place)->key == key) return;
    place = key < (*place)->key ? &(*place)->left : &(*place)->right;
  }
  auto *leaf = static_cast<Leaf *>(std::malloc(sizeof(Leaf)));
  *leaf = {nullptr, nullptr, key};
  *place = leaf;
}

std::size_t check_and_free(Leaf *leaf, std::uint64_t low, std::uint64_t high) {
  if (leaf == nullptr) return 0;
  EXPECT_TRUE(low <= leaf->key && leaf->key < high);
  const std::size_t below =
      check_and_free(leaf->left, low, leaf->key) + check_and_free(leaf->right, leaf->key + 1, high);
  std::free(leaf);
  return below + 1;
}

TEST(FriendStructures, TreesThatAreInsertedIntoStayWhole) {
  Leaf *root = nullptr;
  support::Random random(13);
  std::vector<bool> known(1 << 20);
  std::size_t keys = 0;
  for (int i = 0; i < 150'000; ++i) {
    const std::uint64_t key = random.below(known.size());
    keys += known[key] ? 0 : 1;
    known[key] = true;
    insert(&root, key);
  }
  EXPECT_EQ(check_and_free(root, 0, known.size()), keys);
}

__attribute__((noinline)) void put(std::vector<Node *> &table, std::uint64_t key) {
  Node *&bucket = table[key * 0x9e3779b97f4a7c15U >> 52];
  auto *node = static_cast<Node *>(std::malloc(sizeof(Node)));
  node->value = key;
  node->next = bucket;
  bucket = node;
}

TEST(FriendStructures, HashChainsStayWhole) {
  std::vector<Node *> table(1 << 12);
  constexpr std::uint64_t kKeys = 200'000;
  for (std::uint64_t key = 0; key < kKeys; ++key) put(table, key);
  std::vector<bool> seen(kKeys);
  for (Node *bucket : table)
    while (Node *node = bucket) {
      ASSERT_FALSE(seen[node->value]);
      seen[node->value] = true;
      bucket = node->next;
      std::free(node);
    }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), static_cast<std::ptrdiff_t>(kKeys));
}

// As documents have them: children in a list, each with its parent and its text.
struct Element {
  Element *parent, *first, *last, *next;
  char *text;
};

__attribute__((noinline)) Element *append(Element *parent, std::uint64_t number) {
  auto *element = static_cast<Element *>(std::calloc(1, sizeof(Element)));
  element->parent = parent;
  element->text = static_cast<char *>(std::malloc(16 + number % 24));
  element->text[0] = static_cast<char>(number);
  if (parent == nullptr) return element;
  if (parent->last != nullptr)
    parent->last->next = element;
  else
    parent->first = element;
  parent->last = element;
  return element;
}

std::size_t check_and_free(Element *element, const Element *parent) {
  EXPECT_EQ(element->parent, parent);
  std::size_t count = 1;
  for (Element *child = element->first, *next = nullptr; child != nullptr; child = next) {
    next = child->next;
    count += check_and_free(child, element);
  }
  std::free(element->text);
  std::free(element);
  return count;
}

TEST(FriendStructures, DocumentsThatAreAppendedToStayWhole) {
  std::vector<Element *> all{append(nullptr, 0)};
  support::Random random(14);
  constexpr std::size_t kElements = 120'000;
  while (all.size() < kElements)
    all.push_back(append(all[random.below(std::min<std::size_t>(all.size(), 3000))], all.size()));
  EXPECT_EQ(check_and_free(all[0], nullptr), kElements);
}

} // namespace
