// DICT with strategies where its links change (Adcock 2009, chapter 4): figures 7.16 to 7.21. Of each table there are the row and
// the column of its best strategy.
#include "move/dict_store.hpp"
#include "move/dict_tree.hpp"

#include <string>

namespace bench {
namespace {

using namespace adcock::move; // NOLINT(google-build-using-namespace): this is what it is about
using namespace grammar;

constexpr auto kNone = no_strategy;

// <L; EL> x <parent_p, child_c; t> of figure 7.1, as a number of three figures: p, c and t.
template <unsigned Hints>
constexpr auto pattern() {
  constexpr unsigned kParents = Hints / 100;
  constexpr unsigned kChildren = Hints / 10 % 10;
  constexpr Switch<Hints % 10 != 0> kElse;
  if constexpr (kParents == 0 && kChildren == 0)
    return el(kElse);
  else if constexpr (kChildren == 0)
    return (l | el) * (parent<kParents> | kElse);
  else if constexpr (kParents == 0)
    return (l | el) * (child<kChildren> | kElse);
  else
    return (l | el) * ((parent<kParents> & child<kChildren>) | kElse);
}
std::string text(unsigned hints) {
  return "p" + std::to_string(hints / 100) + "c" + std::to_string(hints / 10 % 10) +
         (hints % 10 != 0 ? "t" : "f");
}

// Of a tree whose deletions move a node, the site beside `insert` is deleteMove; of the other, deleteCut.
template <bool Fields, typename Insert, typename Other>
bool run(const DictSettings &settings, std::string_view name, Insert /*insert*/, Other /*other*/) {
  if (settings.mover != name) return false;
  using Nodes = DictSites<Insert, Strategy<>, Other>;
  using Sites = std::conditional_t<Fields, DictSites<Insert, Other, Strategy<>>, Nodes>;
  DictProgram<TreeStore<DictTree<kDictShape, Needs{}, Sites>>>(settings).run();
  return true;
}

// Figures 7.18 and 7.19: the strategy at one site, where the other has its best.
template <bool Fields, unsigned... Hints>
bool run_other(const DictSettings &settings) {
  return (run<Fields>(settings, "sites-other-" + text(Hints), pattern<101>(), pattern<Hints>()) ||
          ...);
}
template <bool Fields, unsigned Best, unsigned... Hints>
bool run_insert(const DictSettings &settings) {
  return (run<Fields>(settings, "sites-insert-" + text(Hints), pattern<Hints>(), pattern<Best>()) ||
          ...);
}

// Figures 7.20 and 7.21: <alpha, beta; gamma>, with hints as the best has them; `near` are alpha and beta.
template <bool Fields>
bool run_pages(const DictSettings &settings, std::string_view name, auto last, auto... near) {
  const auto insert = (near(parent<1>) | ... | kNone) | last(always);
  const auto cut = (near(parent<1>) | ... | kNone);
  const auto move = (near(parent<1>) | ... | kNone) | (near(child<2>) | ... | kNone);
  if constexpr (Fields)
    return run<true>(settings, name, insert, cut);
  else
    return run<false>(settings, name, insert, move);
}
template <bool Fields>
bool run_all_pages(const DictSettings &settings) {
  const auto with = [&](std::string_view name, auto last, auto... near) {
    return run_pages<Fields>(settings, name, last, near...);
  };
  return with("sites-L;EL", el, l) || with("sites-L;EP", ep, l) || with("sites-L;null", null, l) ||
         with("sites-L;F", f, l) || with("sites-L;ELIEP", eliep, l) || with("sites-L;FP", fp, l) ||
         with("sites-L;FLIEP", fliep, l) || with("sites-L;FLIFP", flifp, l) ||
         with("sites-L;ELIFP", elifp, l) || with("sites-L;FL", fl, l) ||
         with("sites-L,NLIP;EL", el, l, nlip) || with("sites-L,P;EL", el, l, p) ||
         with("sites-L,ELIP;EL", el, l, elip) || with("sites-L,FLIP;EL", el, l, flip) ||
         with("sites-EL", el) || with("sites-P;EL", el, p) || with("sites-FLIP;EL", el, flip) ||
         with("sites-NLIP;EL", el, nlip) || with("sites-ELIP;EL", el, elip) ||
         with("sites-P;EP", ep, p);
}

// Figure 7.16 has the best for each set of sites, which for both or all is also that of the others.
bool run_node(const DictSettings &settings) {
  return run<false>(settings, "sites", pattern<101>(), pattern<120>()) ||
         run<false>(settings, "sites-M", kNone, pattern<121>()) ||
         run<false>(settings, "sites-I", l(parent<7>), kNone) ||
         run<true>(settings, "sites-C", kNone, l(parent<1>)) ||
         run_other<false, 120, 121, 110, 111, 220, 221, 210, 211, 200, 100, 201, 101, 20, 21, 10,
                   11, 0, 1>(settings) ||
         run_insert<false, 120, 201, 1, 100, 200, 0>(settings) || run_all_pages<false>(settings);
}
bool run_fields(const DictSettings &settings) {
  return run<true>(settings, "sites", pattern<101>(), pattern<100>()) ||
         run<true>(settings, "sites-I", pattern<101>(), kNone) ||
         run<true>(settings, "sites-C", kNone, l(parent<1>)) ||
         run_other<true, 100, 200, 110, 120, 210, 220, 121, 111, 221, 211, 101, 201, 0, 10, 20, 21,
                   11, 1>(settings) ||
         run_insert<true, 100, 201, 100, 1, 0, 200>(settings) || run_all_pages<true>(settings);
}

} // namespace

bool run_dict_sites(const DictSettings &settings) {
  return settings.variant == "node" ? run_node(settings) : run_fields(settings);
}

} // namespace bench
