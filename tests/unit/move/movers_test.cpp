// Movers, on the dictionary of the benchmark: whatever moves, the tree stays what it is, and the layout is as promised.
#include "adcock/move/relayout.hpp"
#include "adcock/move/self_tuning.hpp"
#include "adcock/move/two_space_mover.hpp"
#include "move/dict_perfect.hpp"
#include "support/random.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <set>

namespace adcock::move {
namespace {

using bench::DictLinks;
using bench::NoSites;
constexpr Geometry kAnyShape{128, 1024};

// Random updates of a dictionary and of a set beside it.
template <typename Tree>
class Updates {
public:
  using Hook = std::function<void(Place)>;

  Updates(Tree &tree, std::uint64_t seed) : tree_(tree), random_(seed) {}

  void insert(CellId cell, const Hook &wrote) {
    const auto key = static_cast<std::uint32_t>(random_.below(1u << 30));
    tree_.attach(tree_.find_gap(key), cell, key, wrote);
    keys_.insert(key);
  }
  void replace(const Hook &wrote = [](Place) {}) {
    const auto victim = std::next(keys_.begin(), static_cast<long>(random_.below(keys_.size())));
    const CellId cell = tree_.remove(tree_.find(*victim, [](Place) {}), wrote);
    keys_.erase(victim);
    insert(cell, wrote);
  }
  void fill(unsigned nodes) {
    for (unsigned i = 0; i < nodes; ++i) insert(tree_.fresh_cell(), [](Place) {});
  }
  // The tree holds the keys, in order.
  void expect_whole() const {
    std::vector<std::uint32_t> walked;
    walk(tree_.root(), walked);
    ASSERT_TRUE(std::equal(walked.begin(), walked.end(), keys_.begin(), keys_.end()));
  }

private:
  void walk(CellId node, std::vector<std::uint32_t> &keys) const {
    if (!found(node)) return;
    walk(tree_.heap()[node].child[0], keys);
    keys.push_back(tree_.key(node));
    walk(tree_.heap()[node].child[1], keys);
  }

  Tree &tree_;
  support::Random random_;
  std::multiset<std::uint32_t> keys_;
};

class BothVariants : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Deletion, BothVariants, testing::Bool(),
                         [](const auto &info) { return info.param ? "MovesFields" : "MovesNode"; });

// Each line holds one whole cluster and nothing else; and there are no more lines than m_worst has (7.3.1): below each full
// one of k nodes k + 1 others begin, at worst of one node each.
template <typename Tree>
void expect_clusters_in_lines(Tree &tree) {
  using Layout = typename Tree::Layout;
  Cluster<typename Tree::Heap, DictLinks, Layout::kMost> cluster;
  std::vector<Place> waiting{Place{}};
  std::size_t lines = 0;
  while (!waiting.empty()) {
    const CellId node = tree.at(waiting.back());
    waiting.pop_back();
    if (!found(node)) continue;
    ++lines;
    cluster.gather(tree.heap(), node, Layout::kMost, Layout::kHeight);
    ASSERT_TRUE(cluster.in_one_line());
    ASSERT_EQ(tree.heap().count(Layout::Numbers::line_of(cluster[0])), cluster.size());
    cluster.each_below(tree.heap(), [&](Place below) { waiting.push_back(below); });
  }
  constexpr std::size_t kMost = Layout::kMost;
  ASSERT_LE(lines * 2, tree.heap().nodes() * (kMost + 1) / kMost + 2) << "m_worst";
}

template <Shape Form, unsigned Depth>
void expect_perfect(bool moves_fields) {
  bench::PerfectDict<kAnyShape, Form, Depth> tree(moves_fields, 5);
  Updates updates(tree, 11);
  updates.fill(300);
  for (int i = 0; i < 700; ++i) {
    // What a deletion leaves in use is no cluster, so that it must be gone when the layout is looked at.
    updates.replace();
    expect_clusters_in_lines(tree);
    if (i % 50 == 0) updates.expect_whole();
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(tree.layout().moved(), 0u);
}

TEST_P(BothVariants, PerfectLayoutsHoldAfterEveryUpdate) {
  expect_perfect<Shape::breadth_first, 0>(GetParam());
  expect_perfect<Shape::breadth_first, 2>(GetParam());
  expect_perfect<Shape::fixed_height, 1>(GetParam());
}

TEST(PerfectTree, LessIsMovedTheDeeperItLooks) {
  const auto moved = []<unsigned Depth>(std::integral_constant<unsigned, Depth> /*depth*/) {
    bench::PerfectDict<kAnyShape, Shape::breadth_first, Depth> tree(true, 5);
    Updates updates(tree, 11);
    updates.fill(1000);
    const std::size_t before = tree.layout().moved();
    for (int i = 0; i < 1000; ++i) updates.replace();
    return tree.layout().moved() - before;
  };
  EXPECT_LT(moved(std::integral_constant<unsigned, 2>{}) * 2,
            moved(std::integral_constant<unsigned, 0>{}));
}

// How many lines a tree's clusters lie in beyond the one that each needs.
template <typename Heap>
std::size_t scattered(const Heap &heap, CellId root) {
  std::size_t clusters = 0;
  std::vector<CellId> waiting{root};
  while (!waiting.empty()) {
    Cluster<Heap, DictLinks, Heap::Numbers::kCellsPerLine> cluster;
    cluster.gather(heap, waiting.back(), Heap::Numbers::kCellsPerLine);
    waiting.pop_back();
    clusters += cluster.in_one_line() ? 0 : 1;
    cluster.each_below(heap, [&](Place place) {
      waiting.push_back(DictLinks::get(heap, place.owner, place.which));
    });
  }
  return clusters;
}

TEST_P(BothVariants, RelayoutClustersTheWholeTree) {
  bench::DictTree<kAnyShape, Needs{}, NoSites> tree(GetParam(), 1);
  Updates updates(tree, 2);
  updates.fill(2000);
  for (const Nesting nesting : {Nesting::lines, Nesting::lines_in_pages}) {
    for (int i = 0; i < 500; ++i) updates.replace();
    EXPECT_GT(scattered(tree.heap(), tree.root()), 0u);
    EXPECT_EQ(relayout<DictLinks>(tree.heap(), tree.root(), nesting), 2000u);
    EXPECT_EQ(scattered(tree.heap(), tree.root()), 0u);
    EXPECT_EQ(tree.heap().nodes(), 2000u);
    updates.expect_whole();
  }
}

using OneSpaceTree = bench::DictTree<
    kAnyShape, TreeMover<bench::DictTree<kAnyShape, Needs{}, NoSites>::Heap, DictLinks>::needs(),
    NoSites>;

TEST_P(BothVariants, IncrementalMoverMayBeInterruptedAnywhere) {
  for (const bool compacts : {false, true}) {
    OneSpaceTree tree(GetParam(), 1);
    Updates updates(tree, 2);
    updates.fill(1000);
    tree.heap().bound_ratio(1.2);
    const std::uint32_t pages = tree.heap().pages();
    TreeMover<OneSpaceTree::Heap, DictLinks> mover(tree.heap(), &tree.root(), 1, {2, compacts});
    for (int i = 0; i < 1500; ++i) {
      mover.step(1 + i % 7);
      updates.replace();
      ASSERT_EQ(tree.heap().nodes(), 1000u);
      if (i % 20 == 0) updates.expect_whole();
    }
    EXPECT_LE(tree.heap().pages(),
              std::max(pages, static_cast<std::uint32_t>(1.2 * 1000 / 64) + 1));
    EXPECT_GT(mover.counts().moved, 0u);
  }
}

TEST(TreeMover, APassMendsTheLayout) {
  OneSpaceTree tree(false, 1);
  Updates updates(tree, 2);
  EXPECT_FALSE((TreeMover<OneSpaceTree::Heap, DictLinks>(tree.heap(), &tree.root()).step(10)));
  updates.fill(2000);
  for (int i = 0; i < 2000; ++i) updates.replace();
  const std::size_t before = scattered(tree.heap(), tree.root());
  TreeMover<OneSpaceTree::Heap, DictLinks>(tree.heap(), &tree.root()).pass();
  EXPECT_LT(scattered(tree.heap(), tree.root()) * 10, before);
  updates.expect_whole();
}

TEST(SelfTuningMover, WorksLessWhereNothingDegrades) {
  OneSpaceTree tree(false, 1);
  Updates updates(tree, 2);
  updates.fill(3000);
  SelfTuningMover<OneSpaceTree::Heap, DictLinks> mover(tree.heap(), &tree.root());
  for (int i = 0; i < 20000; ++i) {
    updates.replace();
    mover.updated();
  }
  const unsigned busy = mover.rate();
  for (int i = 0; i < 100000; ++i) mover.updated();
  EXPECT_LT(mover.rate(), busy);
  updates.expect_whole();
}

using TwoSpaceTree = bench::DictTree<
    kAnyShape,
    TwoSpaceMover<bench::DictTree<kAnyShape, Needs{}, NoSites>::Heap, DictLinks>::needs(), NoSites>;

std::set<unsigned> spaces(const TwoSpaceTree::Heap &heap, CellId node) {
  std::set<unsigned> all{heap.space_of(node)};
  for (std::uint32_t which = 0; which < 2; ++which)
    if (const CellId child = DictLinks::get(heap, node, which); found(child))
      all.merge(spaces(heap, child));
  return all;
}

// Also where the root is written to all the time.
TEST_P(BothVariants, TwoSpaceCollectionsEndAndLeaveNothingBehind) {
  TwoSpaceTree tree(GetParam(), 1);
  Updates updates(tree, 2);
  updates.fill(1000);
  TwoSpaceMover<TwoSpaceTree::Heap, DictLinks> mover(tree.heap(), &tree.root());
  for (int i = 0; mover.collections() < 5; ++i) {
    ASSERT_LT(i, 20000) << "a collection does not end";
    updates.replace([&](Place place) { mover.wrote(place); });
    for (std::uint32_t which = 0; which < 2; ++which) mover.wrote({tree.root(), which});
    // Whatever was written meanwhile, all that can be reached is in one space when a collection ends.
    if (mover.step(3 + i % 10)) {
      EXPECT_EQ(spaces(tree.heap(), tree.root()).size(), 1u);
    }
    ASSERT_EQ(tree.heap().nodes(), 1000u);
    if (i % 20 == 0) updates.expect_whole();
  }
}

} // namespace
} // namespace adcock::move
