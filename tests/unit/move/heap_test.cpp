// The heap of cells and its operations, against what a look at every cell says.
#include "adcock/move/parts/strategy.hpp"
#include "adcock/move/rds_heap.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>
#include <set>
#include <span>
#include <vector>

namespace adcock::move {
namespace {

struct Node {
  std::uint32_t words[4];
};
constexpr Geometry kSmall{64, 256}; // 4 cells a line, 4 lines a page

template <Choice How, Level X, Level Y>
constexpr Needs kNeedsOf = Find<How, X, Y>::needs();
constexpr Needs kEverything = kNeedsOf<Choice::emptiest, Level::line, Level::heap> |
                              kNeedsOf<Choice::emptiest, Level::page, Level::heap> |
                              kNeedsOf<Choice::emptiest, Level::line, Level::page> |
                              kNeedsOf<Choice::cyclic, Level::cell, Level::page> |
                              kNeedsOf<Choice::first, Level::cell, Level::heap>;
using Heap = RdsHeap<Node, kSmall, kEverything>;
using Numbers = Heap::Numbers;

// Cells in use by line, counted one by one.
std::vector<unsigned> counted(const Heap &heap) {
  std::vector<unsigned> used(heap.pages() * Numbers::kLinesPerPage);
  for (std::uint32_t line = 0; line < used.size(); ++line)
    for (std::uint32_t slot = 0; slot < Numbers::kCellsPerLine; ++slot)
      used[line] += heap.in_use(Numbers::cell(LineId{line}, slot)) ? 1 : 0;
  return used;
}
// The fewest and the most of lines that are not full.
std::pair<unsigned, unsigned> extremes(std::span<const unsigned> lines) {
  unsigned least = Numbers::kCellsPerLine;
  unsigned most = 0;
  for (const unsigned used : lines) {
    least = std::min(least, used);
    if (used < Numbers::kCellsPerLine) most = std::max(most, used);
  }
  return {least, most};
}

class HeapUser {
public:
  HeapUser() { heap.bound_ratio(1); } // so that emptiest blocks are not new ones

  void change() {
    if (live.size() > 160 || (!live.empty() && random.below(100) < 46)) {
      const auto victim = std::next(live.begin(), static_cast<long>(random.below(live.size())));
      heap.free(*victim);
      live.erase(victim);
      return;
    }
    const CellId cell = heap.find(First<Level::cell, Level::heap>{});
    EXPECT_TRUE(live.insert(cell).second) << "a cell was given out twice";
  }

  Heap heap;
  std::set<CellId> live;
  support::Random random{7};
};

TEST(RdsHeap, KnowsItsCellsAndTheEmptiestAndFullestBlocks) {
  HeapUser user;
  for (int i = 0; i < 1500; ++i) {
    user.change();
    ASSERT_EQ(user.heap.nodes(), user.live.size());
    for (const CellId cell : user.live) ASSERT_TRUE(user.heap.in_use(cell));
    if (user.live.size() + 1 >= user.heap.pages() * Numbers::kCellsPerPage) continue;
    const std::vector<unsigned> used = counted(user.heap);
    const auto [least, most] = extremes(used);
    ASSERT_EQ(used[number(user.heap.find(Fullest<Level::line, Level::heap>{}))], most);
    ASSERT_EQ(used[number(user.heap.find(Emptiest<Level::line, Level::heap>{}))], least);
    const PageId page{static_cast<std::uint32_t>(user.random.below(user.heap.pages()))};
    const LineId in_page = user.heap.find(Emptiest<Level::line, Level::page>{}, page);
    constexpr std::size_t kLines = Numbers::kLinesPerPage;
    const unsigned fewest = extremes(std::span(used).subspan(number(page) * kLines, kLines)).first;
    ASSERT_EQ(found(in_page), fewest < Numbers::kCellsPerLine);
    if (!found(in_page)) continue;
    ASSERT_EQ(used[number(in_page)], fewest);
    ASSERT_EQ(Numbers::page_of(in_page), page);
  }
}

TEST(RdsHeap, GoesRoundInAPage) {
  Heap heap;
  const PageId page = heap.grow();
  std::set<LineId> seen;
  for (std::uint32_t i = 0; i < Numbers::kCellsPerPage; ++i) {
    const CellId cell = heap.find(Cyclic<Level::cell, Level::page>{}, page);
    ASSERT_EQ(Numbers::page_of(cell), page);
    seen.insert(Numbers::line_of(cell));
    if (i == 0) heap.free(cell);
  }
  EXPECT_EQ(seen.size(), Numbers::kLinesPerPage);
}

TEST(RdsHeap, TablesAreTheSameWhenMadeAnew) {
  HeapUser user;
  for (int i = 0; i < 700; ++i) user.change();
  user.heap.rebuild();
  EXPECT_EQ(user.heap.nodes(), user.live.size());
  const std::vector<unsigned> used = counted(user.heap);
  EXPECT_EQ(used[number(user.heap.find(Fullest<Level::line, Level::heap>{}))],
            extremes(used).second);
  for (const CellId cell : user.live) user.heap.free(cell);
  EXPECT_EQ(user.heap.nodes(), 0u);
  user.heap.trim();
  EXPECT_EQ(user.heap.pages(), 1u);
}

TEST(RdsHeap, HoldsItsRatio) {
  RdsHeap<Node, kSmall, Emptiest<Level::line, Level::heap>::needs()> heap;
  heap.bound_ratio(1.5);
  std::vector<CellId> live;
  for (int i = 0; i < 5000; ++i) {
    live.push_back(heap.take(heap.find(Emptiest<Level::line, Level::heap>{})));
    ASSERT_TRUE(found(live.back()));
    const double cells = heap.pages() * double(Numbers::kCellsPerPage);
    ASSERT_LE(cells, std::max(1.5 * double(heap.nodes()), double(heap.nodes())) +
                         2 * Numbers::kCellsPerPage);
  }
}

// Figure 4.6: with room everywhere, each gives a cell of its own; in the hint's page those that take one do.
TEST(Coallocators, GiveACell) {
  using namespace grammar;
  RdsHeap<Node, kSmall, kEverything | elifp(always).needs() | fliep(always).needs()> heap;
  const CellId hint = heap.take(Numbers::line(heap.grow(), 0));
  std::set<CellId> given{hint};
  const auto near = [&]<typename... All>(Named<All>...) {
    for (const CellId cell : {All::allocate(heap, hint)...}) {
      EXPECT_EQ(Numbers::page_of(cell), Numbers::page_of(hint));
      EXPECT_TRUE(given.insert(cell).second);
    }
  };
  const auto anywhere = [&]<typename... All>(Named<All>...) {
    for (const CellId cell : {All::allocate(heap)...})
      EXPECT_TRUE(found(cell) && given.insert(cell).second);
  };
  near(l, p, flip, elip, nlip);
  anywhere(f, fl, fp, flifp, el, elifp, fliep, ep, eliep);
  EXPECT_EQ(given.size(), 15U);
}

// A site that offers two hints.
struct TwoHints {
  CellId near;
  CellId far;
  template <typename Try>
  bool back(unsigned most, Try attempt) const {
    return (most > 0 && attempt(near)) || (most > 1 && attempt(far));
  }
  template <typename Try>
  bool ahead(unsigned /*most*/, Try attempt) const {
    return attempt(far);
  }
};

TEST(Strategy, ReadsLikeTheGrammar) {
  using namespace grammar;
  constexpr auto kProduct = (l | el) * ((parent<1> & child<2>) | always);
  constexpr auto kStages = l(parent<1>) | l(child<2>) | el(always);
  EXPECT_TRUE((std::is_same_v<decltype(kProduct), decltype(kStages)>));
  EXPECT_EQ(kProduct.needs(), el(always).needs());
  EXPECT_FALSE(kProduct.needs().any(Needs::kPageList)) << "nothing is kept that is not needed";
}

TEST(Strategy, TriesItsStagesInTurn) {
  using namespace grammar;
  constexpr auto kStrategy = (l | el) * (parent<2> | always);
  RdsHeap<Node, kSmall, kStrategy.needs()> heap;
  const LineId one = Numbers::line(heap.grow(), 0);
  const LineId other = Numbers::line(heap.grow(), 0);
  const TwoHints site{heap.take(one), heap.take(other)};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Numbers::line_of(kStrategy.allocate(heap, site)), one);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Numbers::line_of(kStrategy.allocate(heap, site)), other);
  const CellId elsewhere = kStrategy.allocate(heap, site);
  EXPECT_EQ(heap.count(Numbers::line_of(elsewhere)), 1u);
  // A node that is near its hint already stays where it is.
  EXPECT_EQ(kStrategy.allocate(heap, site, site.near), site.near);
}

} // namespace
} // namespace adcock::move
