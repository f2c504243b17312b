// Layouts of small structures, worked out by hand after the thesis's text (Adcock 2009, 3.4.2, 5.2, 6.2, 6.3).
#include "adcock/move/static_layouts.hpp"
#include "move/dict_perfect.hpp"
#include "move/dict_store.hpp"

#include <gtest/gtest.h>
#include <map>
#include <set>

namespace adcock::move {
namespace {

using bench::DictLinks;
using Keys = std::vector<std::uint32_t>;
constexpr Geometry kShape{128, 1024}; // 8 nodes a line
// A search tree of 15 nodes is perfect if its keys come by levels.
const Keys kByLevels{8, 4, 12, 2, 6, 10, 14, 1, 3, 5, 7, 9, 11, 13, 15};

class PerfectTreeOf15 : public testing::Test {
protected:
  using Tree = bench::DictTree<kShape, Needs{}, bench::NoSites>;
  PerfectTreeOf15() {
    for (const std::uint32_t key : kByLevels)
      tree.attach(tree.find_gap(key), tree.fresh_cell(), key, [](Place) {});
  }
  Keys keys(const CellOrder &order) const {
    Keys found_keys;
    for (const CellId cell : order) found_keys.push_back(found(cell) ? tree.key(cell) : 0);
    return found_keys;
  }

  Tree tree{true, 1};
  StaticLayouts<Tree::Heap, DictLinks> layouts{tree.heap(), &tree.root(), 1};
};

TEST_F(PerfectTreeOf15, InVanEmdeBoasOrderHasItsUpperHalfFirst) {
  EXPECT_EQ(keys(layouts.van_emde_boas()),
            (Keys{8, 4, 12, 2, 1, 3, 6, 5, 7, 10, 9, 11, 14, 13, 15}));
}

// Three nodes a cluster, found breadth-first: the root's, and then one for each grandchild. Of four, two
// leaves are left over, and share a line; what is left of a line is 0.
TEST_F(PerfectTreeOf15, InClustersHasAGenerationOrTwoInEach) {
  EXPECT_EQ(keys(layouts.clusters(3)), (Keys{8, 4, 12, 14, 13, 15, 10, 9, 11, 6, 5, 7, 2, 1, 3}));
  EXPECT_EQ(keys(layouts.clusters(4)),
            (Keys{8, 4, 12, 2, 3, 1, 0, 0, 14, 13, 15, 0, 10, 9, 11, 0, 6, 5, 7}));
}

TEST_F(PerfectTreeOf15, StaysATreeWhereverItIsArranged) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 3; ++round) {
    layouts.arrange(round == 0   ? shuffled(layouts.clusters(1), 1, random)
                    : round == 1 ? layouts.clusters(3)
                                 : layouts.van_emde_boas());
    EXPECT_EQ(tree.heap().nodes(), 15u);
    EXPECT_EQ(keys(layouts.clusters(15)), kByLevels);
  }
  // In order, eight a line: the first line holds the upper half, the first tree below it, and most of the second.
  std::set<std::uint32_t> first_line;
  for (const CellId cell : layouts.clusters(15))
    if (Tree::Heap::Numbers::line_of(cell) == Tree::Heap::Numbers::line_of(tree.root()))
      first_line.insert(tree.key(cell));
  EXPECT_EQ(first_line, (std::set<std::uint32_t>{8, 4, 12, 2, 1, 3, 6, 5}));
}

// Section 6.2.1: a node, its children and its grandchildren in a line, and each node below them in one of its own.
TEST(PerfectTree, OfFixedHeightPutsSevenNodesIntoALine) {
  bench::PerfectDict<kShape, Shape::fixed_height, 2> tree(true, 1);
  for (const std::uint32_t key : kByLevels)
    tree.attach(tree.find_gap(key), kNoCell, key, [](Place) {});
  using Numbers = decltype(tree)::Heap::Numbers;
  std::map<std::uint32_t, std::set<std::uint32_t>> lines;
  for (const std::uint32_t key : kByLevels) {
    const CellId cell = tree.at(tree.find(key, [](Place) {}));
    lines[number(Numbers::line_of(cell))].insert(key);
  }
  ASSERT_EQ(lines.size(), 9u);
  EXPECT_EQ(lines[number(Numbers::line_of(tree.root()))],
            (std::set<std::uint32_t>{8, 4, 12, 2, 6, 10, 14}));
}

// Section 3.4.2.2, for a list of six in lines of two and pages of four.
TEST(ListLayouts, AreFilledUpToWholeBlocks) {
  const CellOrder nodes{CellId{1}, CellId{2}, CellId{3}, CellId{4}, CellId{5}, CellId{6}};
  std::mt19937_64 random(1);
  const CellOrder pages = shuffled_within(nodes, 4, 2, random);
  ASSERT_EQ(pages.size(), 8u);
  for (std::size_t line = 0; line < 8; line += 2) {
    if (!found(pages[line])) continue;
    EXPECT_EQ(number(pages[line]) % 2, 1u) << "a line begins with an odd node";
    EXPECT_EQ(number(pages[line + 1]), number(pages[line]) + 1) << "neighbours share lines";
    EXPECT_EQ(line < 4, number(pages[line]) < 5) << "and pages hold four nodes in a row";
  }
  EXPECT_TRUE(shuffled({}, 2, random).empty());
}

// Section 2.3.2.1: a node that others than its owner point at. Each knows its parent, which hears of its moves.
struct Child {
  CellId child[2];
  CellId parent;
};
struct ParentLinks : IndexLinks<&Child::child, 2> {
  template <typename Heap>
  static void moved(Heap &heap, CellId /*from*/, CellId to) {
    for (const CellId child : heap[to].child)
      if (found(child)) heap[child].parent = to;
  }
};

TEST(Relayout, MendsTheParentsThatItIsToldOf) {
  using Heap = RdsHeap<Child, kShape>;
  Heap heap;
  std::vector<CellId> nodes;
  for (std::uint32_t i = 0; i < 63; ++i) {
    const PageId page = i % 7 == 0 ? heap.grow() : PageId{heap.pages() - 1};
    nodes.push_back(heap.take(Heap::Numbers::line(page, i % 7)));
    const CellId parent = i == 0 ? kNoCell : nodes[(i - 1) / 2];
    heap[nodes[i]] = {{kNoCell, kNoCell}, parent};
    if (i > 0) heap[parent].child[(i - 1) % 2] = nodes[i];
  }
  CellId root = nodes[0];
  EXPECT_EQ(relayout<ParentLinks>(heap, root), 63u);
  std::vector<CellId> walked{root};
  for (std::size_t i = 0; i < walked.size(); ++i)
    for (const CellId child : heap[walked[i]].child)
      if (found(child)) {
        EXPECT_EQ(heap[child].parent, walked[i]);
        walked.push_back(child);
      }
  EXPECT_EQ(walked.size(), 63u);
}

} // namespace
} // namespace adcock::move
