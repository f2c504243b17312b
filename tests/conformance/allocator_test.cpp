// abut/allocator.hpp: the standard's contracts for allocators and memory resources, and that hints reach the heap.
#include "abut/allocator.hpp"

#include "support/allocator.hpp"
#include "support/opaque.hpp"

#include <cstdint>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <memory>
#include <memory_resource>
#include <vector>

using support::opaque;

namespace {

struct Node {
  Node *next;
  std::uint64_t value[3];
};

struct alignas(128) Wide {
  char bytes[128];
};

bool on_one_page(const void *a, const void *b) {
  return reinterpret_cast<std::uintptr_t>(a) / 4096 == reinterpret_cast<std::uintptr_t>(b) / 4096;
}

// Chains that grow in turn, each node allocated by `next_of`, from its chain's last: the share of nodes on the page of the
// node before.
double share_near(const std::function<Node *(const void *last)> &next_of) {
  constexpr int kChains = 1000, kNodes = 100;
  std::vector<Node *> last(kChains);
  std::vector<Node *> all;
  for (Node *&node : last) all.push_back(node = next_of(nullptr));
  int near = 0;
  for (int round = 0; round < kNodes; ++round)
    for (Node *&node : last) {
      Node *next = next_of(node);
      near += on_one_page(node, next);
      node = next;
      all.push_back(node);
    }
  for (Node *node : all) std::free(node);
  return double(near) / (kChains * kNodes);
}

TEST(Allocator, PutsWhatItAllocatesNearItsFriend) {
  if (!support::runs_under_abut()) GTEST_SKIP() << "hints are for abut's heap";
  EXPECT_GT(share_near([](const void *last) { return abut::allocator<Node>(last).allocate(1); }),
            0.4);
}

TEST(Allocator, ServesEveryContainerOfTheStandard) {
  int owner = 0;
  std::vector<int, abut::allocator<int>> numbers{abut::allocator<int>{&owner}};
  std::map<int, int, std::less<>, abut::allocator<std::pair<const int, int>>> squares{
      abut::allocator<std::pair<const int, int>>{&owner}};
  for (int i = 0; i < 1000; ++i) {
    numbers.push_back(i);
    squares[i] = i * i;
  }
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(squares.at(numbers[static_cast<size_t>(i)]), i * i);
  EXPECT_EQ(squares.get_allocator().near(), &owner);
}

TEST(Allocator, ACopyHasNoFriendAndAnAssignedContainerKeepsItsOwn) {
  using Numbers = std::vector<int, abut::allocator<int>>;
  int one = 0, two = 0;
  const Numbers first({1, 2, 3}, abut::allocator<int>{&one});
  Numbers copy = first;
  EXPECT_EQ(copy.get_allocator().near(), nullptr);
  Numbers other{abut::allocator<int>{&two}};
  const int *data = copy.data();
  other = std::move(copy);
  EXPECT_EQ(other.get_allocator().near(), &two);
  EXPECT_EQ(other.data(), data) << "equal allocators hand memory over, and copy nothing";
}

TEST(Allocator, RefusesWhatCannotBe) {
  abut::allocator<Node> nodes;
  EXPECT_THROW((void)nodes.allocate(opaque(std::numeric_limits<std::size_t>::max() / 2)),
               std::bad_array_new_length);
  EXPECT_THROW((void)nodes.allocate(opaque(std::numeric_limits<std::size_t>::max() / 64)),
               std::bad_alloc);
}

TEST(Allocator, KeepsWideAlignments) {
  int owner = 0;
  std::vector<Wide, abut::allocator<Wide>> wide(7, abut::allocator<Wide>{&owner});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(wide.data()) % alignof(Wide), 0u);
}

TEST(NearResource, PutsWhatItAllocatesNearItsFriend) {
  if (!support::runs_under_abut()) GTEST_SKIP() << "hints are for abut's heap";
  abut::near_resource resource;
  EXPECT_GT(share_near([&](const void *last) {
              resource.set_near(last);
              return static_cast<Node *>(resource.allocate(sizeof(Node), alignof(Node)));
            }),
            0.4);
}

TEST(NearResource, ServesContainersAndAlignments) {
  int owner = 0;
  abut::near_resource resource{&owner};
  std::pmr::map<int, std::pmr::vector<Wide>> map{&resource};
  for (int i = 0; i < 50; ++i) {
    map[i].resize(3);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(map[i].data()) % alignof(Wide), 0u);
  }
  EXPECT_EQ(map.at(7).get_allocator().resource(), &resource);
  for (int i = 0; i < 100; ++i) { // a resource aligns for any type, unless less is asked for
    void *small = resource.allocate(static_cast<std::size_t>(i % 16));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(small) % alignof(std::max_align_t), 0u);
    resource.deallocate(small, static_cast<std::size_t>(i % 16));
  }
}

TEST(NearResource, IsEqualToItsKindAlone) {
  const abut::near_resource one, two{&one};
  EXPECT_TRUE(one == two);
  EXPECT_FALSE(one == *std::pmr::new_delete_resource());
}

} // namespace
