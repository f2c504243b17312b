// The rules of merging, on objects that are made for them.
#include "placement/pools/shape_graph.hpp"

#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace abut::group {
namespace {

// Some contexts, by hand: only their numbers matter.
class ShapeGraphTest : public testing::Test {
public:
  ShapeGraphTest() { heap::allocate(64); }

  ~ShapeGraphTest() override {
    for (void *block : held)
      if (!heap::release(block)) heap::release_slow("free", block);
  }

  Group &group(size_t bytes) {
    leaves.push_back(std::make_unique<context::Entry>());
    leaves.back()->id = static_cast<uint16_t>(leaves.size());
    return *graph->group_of(leaves.back().get(), bytes, 0);
  }

  // An object of the group, with so many words after it.
  Address *object(Group &group, size_t bytes) {
    void *block = heap::allocate(bytes);
    held.push_back(block);
    std::fill_n(static_cast<Address *>(block), bytes / sizeof(Address), Address{0});
    births.record(reinterpret_cast<Address>(block), {group.id, clock});
    group.samples[group.recorded++ % Group::kSamples] = {reinterpret_cast<Address>(block), clock++,
                                                         heap::current->number()};
    ++group.objects;
    return static_cast<Address *>(block);
  }

  static void link(Address *from, unsigned word, const Address *to) {
    from[word] = reinterpret_cast<Address>(to);
  }

  bool merged(const Group &one, const Group &other) { return one.root == other.root; }

  std::unique_ptr<ShapeGraph> graph = std::make_unique<ShapeGraph>();
  std::vector<std::unique_ptr<context::Entry>> leaves;
  std::vector<void *> held;
  uint32_t clock = 0;
};

constexpr int kObjects = 40;

TEST_F(ShapeGraphTest, GroupsOfOneSizeThatAreLinkedAreOne) {
  Group &one = group(32), &other = group(32);
  for (int i = 0; i < kObjects; ++i) link(object(one, 32), 2, object(other, 32));
  graph->scan_and_merge(one, heap::current, Merging::linked);
  EXPECT_TRUE(merged(one, other));
  EXPECT_EQ(one.edges[0].to, other.id);
  EXPECT_EQ(one.edges[0].word, 2);
}

TEST_F(ShapeGraphTest, WhatOtherThreadsMadeIsNotTakenForFreed) {
  Group &one = group(32);
  for (int i = 0; i < kObjects; ++i) object(one, 32);
  for (uint32_t i = 0; i < 30; ++i) one.samples[i].heap += 1;
  graph->scan_and_merge(one, heap::current, Merging::linked);
  EXPECT_EQ(one.sampled, one.scanned);
  EXPECT_GT(one.scanned, 0);
  EXPECT_LT(one.scanned, kObjects - 29);
}

TEST_F(ShapeGraphTest, GroupsOfDifferentSizesAreNot) {
  Group &one = group(32), &other = group(48);
  for (int i = 0; i < kObjects; ++i) {
    Address *from = object(one, 32);
    clock += 100; // nor are they born together
    link(from, 0, object(other, 48));
  }
  graph->scan_and_merge(one, heap::current, Merging::born);
  EXPECT_FALSE(merged(one, other));
}

TEST_F(ShapeGraphTest, DifferentSizesBornTogetherAreOne) {
  Group &one = group(32), &other = group(48);
  for (int i = 0; i < kObjects; ++i) link(object(one, 32), 0, object(other, 48));
  graph->scan_and_merge(one, heap::current, Merging::linked);
  EXPECT_FALSE(merged(one, other)) << "not by the paper's rules";
  graph->scan_and_merge(one, heap::current, Merging::born);
  EXPECT_TRUE(merged(one, other));
}

// Two groups whose linked objects were born close to each other in half of all cases, each with a pool.
std::pair<Group *, Group *> half_born_together(auto &test) {
  Group &one = test.group(32), &other = test.group(48);
  for (int i = 0; i < kObjects; ++i) {
    Address *from = test.object(one, 32);
    if (i % 2 == 0) test.clock += 100;
    test.link(from, 0, test.object(other, 48));
  }
  one.pool = 1;
  other.pool = 2;
  one.reason = other.reason = Reason::none;
  return {&one, &other};
}

TEST_F(ShapeGraphTest, LessOfAProofWillDoForPoolsThatAreUsedTogether) {
  const auto [one, other] = half_born_together(*this);
  graph->scan_and_merge(*one, heap::current, Merging::born);
  EXPECT_FALSE(merged(*one, *other)) << "by birth alone";
  graph->together = [](PoolId from, PoolId to) {
    return from == 1 && to == 2 ? Together::mostly : Together::unknown;
  };
  graph->scan_and_merge(*one, heap::current, Merging::born);
  EXPECT_TRUE(merged(*one, *other));
}

TEST_F(ShapeGraphTest, NoProofWillDoForPoolsThatAreSeldomUsedTogether) {
  Group &one = group(32), &other = group(48);
  for (int i = 0; i < kObjects; ++i) link(object(one, 32), 0, object(other, 48));
  graph->together = [](PoolId, PoolId) { return Together::seldom; };
  graph->scan_and_merge(one, heap::current, Merging::born);
  EXPECT_FALSE(merged(one, other));
}

TEST_F(ShapeGraphTest, OneOffsetOfOneGroupLeadsToOneGroup) {
  Group &nodes = group(32), &first = group(48), &second = group(48);
  for (int i = 0; i < kObjects; ++i) {
    Address *node = object(nodes, 32);
    clock += 100;
    link(node, 1, object(i % 2 == 0 ? first : second, 48));
  }
  graph->scan_and_merge(nodes, heap::current, Merging::linked);
  EXPECT_TRUE(merged(first, second));
  EXPECT_FALSE(merged(nodes, first));
}

TEST_F(ShapeGraphTest, DifferentOffsetsDoNot) {
  Group &nodes = group(32), &first = group(48), &second = group(48);
  for (int i = 0; i < kObjects; ++i) {
    Address *node = object(nodes, 32);
    clock += 100;
    link(node, 1, object(first, 48));
    link(node, 3, object(second, 48));
  }
  graph->scan_and_merge(nodes, heap::current, Merging::linked);
  EXPECT_FALSE(merged(first, second));
}

TEST_F(ShapeGraphTest, WhatFewObjectsPointAtIsAnAccident) {
  Group &one = group(32), &other = group(32);
  for (int i = 0; i < kObjects; ++i) {
    Address *from = object(one, 32);
    if (i % 8 == 0) link(from, 0, object(other, 32));
  }
  graph->scan_and_merge(one, heap::current, Merging::linked);
  EXPECT_FALSE(merged(one, other));
}

TEST_F(ShapeGraphTest, FreedObjectsAreNotRead) {
  Group &one = group(32), &other = group(32);
  for (int i = 0; i < kObjects; ++i) link(object(one, 32), 2, object(other, 32));
  for (void *block : held)
    if (!heap::release(block)) heap::release_slow("free", block);
  held.clear();
  graph->scan_and_merge(one, heap::current, Merging::linked);
  EXPECT_FALSE(merged(one, other));
  EXPECT_EQ(one.scanned, 0);
}

TEST_F(ShapeGraphTest, APoolIsKeptWhenItsGroupJoinsAnother) {
  Group &one = group(32), &other = group(32);
  for (int i = 0; i < kObjects; ++i) link(object(one, 32), 2, object(other, 32));
  other.pool = 3;
  other.reason = Reason::none;
  graph->roots[3] = other.id;
  graph->scan_and_merge(one, heap::current, Merging::linked);
  EXPECT_EQ(one.pool.load(), 3);
  EXPECT_EQ(one.reason, Reason::none);
  EXPECT_EQ(graph->root_of(one).id, graph->roots[3]);
}

} // namespace
} // namespace abut::group
