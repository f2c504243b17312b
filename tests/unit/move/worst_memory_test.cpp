// How much memory perfect trees may take (Adcock 2009, 7.3.1: m_worst).
#include "move/dict_perfect.hpp"
#include "move/dict_store.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace {

using adcock::move::CellId;
using adcock::move::LineId;
using adcock::move::Shape;

template <Shape Form>
class Dictionary
    : public bench::TreeStore<bench::PerfectDict<bench::kDictShape, Form, 2>, bench::DictLinks> {
public:
  using Base = bench::TreeStore<bench::PerfectDict<bench::kDictShape, Form, 2>, bench::DictLinks>;
  using Base::Base;

  std::size_t nodes() { return this->tree_.heap().nodes(); }
  // Lines that hold a node of the tree.
  std::size_t lines() {
    std::set<LineId> lines;
    std::vector<CellId> waiting{this->tree_.root()};
    while (!waiting.empty()) {
      const CellId node = waiting.back();
      waiting.pop_back();
      if (!adcock::move::found(node)) continue;
      lines.insert(Numbers::line_of(node));
      for (const CellId child : this->tree_.heap()[node].child) waiting.push_back(child);
    }
    return lines.size();
  }

  using Numbers = typename bench::PerfectDict<bench::kDictShape, Form, 2>::Heap::Numbers;
};

// Below each full line of k nodes k + 1 others begin, at worst of one node each.
template <Shape Form>
void expect_bounded(bool moves_fields) {
  bench::DictSettings settings;
  settings.variant = moves_fields ? "fields" : "node";
  Dictionary<Form> dictionary(settings);
  bench::Random random(3);
  std::vector<std::uint32_t> keys(400);
  for (auto &key : keys) dictionary.insert(key = static_cast<std::uint32_t>(random.next() >> 35));
  dictionary.built();
  constexpr std::size_t kMost = Dictionary<Form>::Numbers::kCellsPerLine;
  for (int i = 0; i < 2000; ++i) {
    auto &key = keys[random.below(keys.size())];
    const std::uint32_t old = key;
    dictionary.look_up(old);
    dictionary.replace(old, key = static_cast<std::uint32_t>(random.next() >> 35));
    if (i % 50 == 0) {
      ASSERT_LE(dictionary.lines() * 2, dictionary.nodes() * (kMost + 1) / kMost + 2);
    }
  }
}

TEST(PerfectTree, TakesNoMoreThanItsWorstMemory) {
  for (const bool moves_fields : {false, true}) {
    expect_bounded<Shape::breadth_first>(moves_fields);
    expect_bounded<Shape::fixed_height>(moves_fields);
  }
}

} // namespace
