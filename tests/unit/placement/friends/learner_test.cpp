#include "placement/friends/learner.hpp"

#include "heap/current.hpp"
#include "heap/heap.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <sys/mman.h>
#include <vector>

namespace abut::near {
namespace {

struct Node {
  Node *next;
  Node *parent;
};

// What the entry stub leaves on the stack, with a page's end far away.
struct Registers {
  Registers() { first_stack_end = reinterpret_cast<Address>(words + 64); }
  ~Registers() { first_stack_end = 0; }

  const Captured &captured() const { return reinterpret_cast<const Captured &>(words); }

  uint64_t words[64]{};
};

class LearnerTest : public testing::Test {
protected:
  LearnerTest() : learner(std::make_unique<Learner>()) {
    learner->begin(false);
    for (int i = 0; i < 300; ++i) make();
  }
  ~LearnerTest() override {
    for (void *block : held)
      if (!heap::release(block)) heap::release_slow("free", block);
  }

  Node *make() {
    auto *node = static_cast<Node *>(heap::allocate(sizeof(Node)));
    *node = {};
    held.push_back(node);
    return node;
  }

  Learner::Verdict observe(const Node *node) {
    std::lock_guard guard(heap::current->lock());
    return learner->observe(rule, heap::current, reinterpret_cast<Address>(node),
                            registers.captured());
  }

  // Appends to many lists in turn; `prepare` puts what the code would have into registers.
  template <class Prepare>
  Learner::Verdict append(Prepare prepare) {
    constexpr size_t kLists = 200;
    std::vector<Node *> tails(kLists);
    for (Node *&tail : tails) tail = make();
    auto verdict = Learner::Verdict::undecided;
    for (size_t i = 0; i < 4000 && verdict == Learner::Verdict::undecided; ++i) {
      Node *&tail = tails[i % kLists];
      Node *node = make();
      prepare(tail);
      verdict = observe(node);
      tail->next = node;
      tail = node;
    }
    return verdict;
  }

  std::unique_ptr<Learner> learner;
  Registers registers;
  Rule rule;
  std::vector<void *> held;
};

TEST_F(LearnerTest, FindsTheTailInARegister) {
  const auto verdict =
      append([&](Node *tail) { registers.words[2] = reinterpret_cast<Address>(tail); });
  ASSERT_EQ(verdict, Learner::Verdict::found);
  EXPECT_EQ(rule.first.base, 2);
  EXPECT_EQ(rule.first.loads, 0);
  EXPECT_TRUE(rule.fixed_end);
  EXPECT_EQ(rule.to_end, static_cast<int>(sizeof(Node)));
}

TEST_F(LearnerTest, FindsTheTailInMemory) {
  std::vector<Node *> list(4);
  const Address begin = reinterpret_cast<Address>(list.data());
  auto *block = static_cast<Node **>(heap::allocate(64));
  held.push_back(block);
  const auto verdict = append([&](Node *tail) {
    block[3] = tail;
    registers.words[4] = reinterpret_cast<Address>(block);
    registers.words[1] = begin;
  });
  ASSERT_EQ(verdict, Learner::Verdict::found);
  EXPECT_EQ(rule.first.base, 4);
  EXPECT_EQ(rule.first.loads, 1);
  EXPECT_EQ(rule.first.offset, 24);
}

TEST_F(LearnerTest, FindsTheTailAmongTheFarMembersOfAnObject) {
  auto *object = static_cast<Node **>(heap::allocate(400));
  held.push_back(object);
  learner->begin(true);
  const auto verdict = append([&](Node *tail) {
    object[20] = tail;
    registers.words[1] = reinterpret_cast<Address>(object);
  });
  ASSERT_EQ(verdict, Learner::Verdict::found);
  EXPECT_EQ(rule.first.base, 1);
  EXPECT_EQ(rule.first.loads, 1);
  EXPECT_EQ(rule.first.offset, 160);
}

TEST_F(LearnerTest, LooksForNoMembersBehindAnObject) {
  Node **objects[4];
  for (Node **&object : objects) {
    object = static_cast<Node **>(heap::allocate(80));
    held.push_back(object);
  }
  ASSERT_EQ(objects[3], objects[2] + 10) << "objects of one size lie in a row";
  const auto verdict = append([&](Node *tail) {
    objects[3][0] = tail;
    registers.words[1] = reinterpret_cast<Address>(objects[2]);
  });
  EXPECT_EQ(verdict, Learner::Verdict::nothing);
}

TEST_F(LearnerTest, FindsNothingWhereNothingIsLinked) {
  auto verdict = Learner::Verdict::undecided;
  Node *other = make();
  for (int i = 0; i < 200 && verdict == Learner::Verdict::undecided; ++i) {
    registers.words[2] = reinterpret_cast<Address>(other);
    verdict = observe(make());
  }
  EXPECT_EQ(verdict, Learner::Verdict::nothing);
}

TEST_F(LearnerTest, FriendsThatAreNearNeedNoRule) {
  auto verdict = Learner::Verdict::undecided;
  Node *last = make();
  for (int i = 0; i < 1000 && verdict == Learner::Verdict::undecided; ++i) {
    Node *node = make();
    registers.words[2] = reinterpret_cast<Address>(last);
    verdict = observe(node);
    last->next = node;
    last = node;
  }
  EXPECT_EQ(verdict, Learner::Verdict::near_anyway);
}

TEST_F(LearnerTest, FindsTheTailByAnIndex) {
  auto *tails = static_cast<Node **>(heap::allocate(256));
  held.push_back(tails);
  uint64_t index = 0;
  const auto verdict = append([&](Node *tail) {
    index = index % 30 + 1;
    tails[index] = tail;
    registers.words[0] = index;
    registers.words[3] = reinterpret_cast<Address>(tails);
  });
  ASSERT_EQ(verdict, Learner::Verdict::found);
  EXPECT_EQ(rule.first.base, 3);
  EXPECT_EQ(rule.first.index, 0);
  EXPECT_EQ(rule.first.scale, 8);
}

TEST_F(LearnerTest, WaitsWhereNothingMoreMayBeTried) {
  const auto try_to = [&](uint32_t effort) {
    Learner::effort_left = effort;
    learner->begin(false);
    return append([&](Node *tail) { registers.words[2] = reinterpret_cast<Address>(tail); });
  };
  EXPECT_EQ(try_to(100), Learner::Verdict::undecided);
  EXPECT_EQ(Learner::effort_left, 0U);
  EXPECT_TRUE(learner->is_idle());
  EXPECT_EQ(try_to(100'000), Learner::Verdict::found);
  EXPECT_GT(Learner::effort_left, 0U);
  Learner::effort_left = ~uint32_t{0};
}

TEST_F(LearnerTest, WildAddressesAreNotRead) {
  auto verdict = Learner::Verdict::undecided;
  uint64_t wild = 0x123456789abcdef;
  for (int i = 0; i < 300 && verdict == Learner::Verdict::undecided; ++i) {
    for (uint64_t &word : registers.words)
      word = wild = wild * 6364136223846793005 + 1442695040888963407;
    verdict = observe(make());
  }
  EXPECT_EQ(verdict, Learner::Verdict::nothing);
}

// As libraries of coroutines have it for their stacks.
TEST_F(LearnerTest, PagesThatTheProgramHasProtectedAreNotRead) {
  for (const size_t bytes : {size_t{16} << 10, size_t{256} << 10, size_t{4} << 20}) {
    void *block = heap::allocate_aligned(kPageBytes, bytes);
    learner->begin(false);
    ASSERT_EQ(mprotect(block, kPageBytes, PROT_NONE), 0);
    for (uint64_t &word : registers.words) word = reinterpret_cast<uint64_t>(block);
    auto verdict = Learner::Verdict::undecided;
    for (int i = 0; i < 300 && verdict == Learner::Verdict::undecided; ++i)
      verdict = observe(make());
    EXPECT_EQ(verdict, Learner::Verdict::nothing) << bytes;
    ASSERT_EQ(mprotect(block, kPageBytes, PROT_READ | PROT_WRITE), 0);
    held.push_back(block);
  }
}

} // namespace
} // namespace abut::near
