// A tree with hooks (dict_tree.hpp, dict_perfect.hpp) as the store of DICT, moved by nobody.
#pragma once

#include "adcock/move/relayout.hpp"
#include "move/dict.hpp"
#include "move/dict_tree.hpp"

namespace bench {

// Lines of 64 bytes are fetched in pairs, so that a pair is what a cluster should fill.
inline constexpr adcock::move::Geometry kDictShape{128, 4096};

template <typename Tree>
class TreeStore {
public:
  explicit TreeStore(const DictSettings &settings)
      : settings_(settings), tree_(settings.variant == "fields", settings.seed + 1) {}

  void insert(std::uint32_t key) {
    tree_.attach(tree_.find_gap(key), tree_.fresh_cell(), key, [](auto) {});
  }
  // Twice: once up out of the pages that it was built in, and down again, so that the others can go.
  void built() {
    lay_out();
    lay_out();
    if constexpr (Tree::kPerfect)
      tree_.layout().recluster({});
    else
      tree_.heap().bound_ratio(static_cast<double>(settings_.percent) / 100);
    tree_.heap().trim();
  }
  void look_up(std::uint32_t key) {
    place_ = tree_.find(key, [](auto) {});
  }
  void pass_over(std::uint32_t /*key*/) {}
  void replace(std::uint32_t /*old*/, std::uint32_t key) {
    const auto cell = tree_.remove(place_, [](auto) {});
    tree_.attach(tree_.find_gap(key), cell, key, [](auto) {});
  }
  void work(std::uint64_t /*done*/) {}
  void lay_out() {
    adcock::move::relayout<DictLinks>(tree_.heap(), tree_.root(),
                                      adcock::move::Nesting::lines_in_pages);
  }
  double ratio() { return tree_.heap().ratio(); }

  void visit(std::uint32_t key, Visits &visits) {
    tree_.visit(key, [&](const void *node) { visits.add(node); });
  }

protected:
  DictSettings settings_;
  Tree tree_;
  adcock::move::Place place_;
};

} // namespace bench
