// DICT with strategies where its links change (Adcock 2009, chapter 4): figures 7.3 and 7.16 to 7.21, in small.
#include "move/dict_store.hpp"
#include "move/dict_tree.hpp"

namespace bench {
namespace {

using namespace adcock::move; // NOLINT(google-build-using-namespace): this is what it is about
using namespace grammar;

template <typename Insert, typename Cut, typename Move>
bool run(const DictSettings &settings, std::string_view name, Insert /*insert*/, Cut /*cut*/,
         Move /*move*/) {
  if (settings.mover != name) return false;
  using Sites = DictSites<Insert, Cut, Move>;
  DictProgram<TreeStore<DictTree<kDictShape, Needs{}, Sites>, DictLinks>>(settings).run();
  return true;
}

// The best of figure 7.16 for each set of sites.
constexpr auto kNone = no_strategy;
constexpr auto kInsert = (l | el) * (parent<1> | always);
constexpr auto kInsertAlone = l(parent<7>);
constexpr auto kMove = l(parent<1>) | l(child<2>);
constexpr auto kMoveAlone = (l | el) * ((parent<1> & child<2>) | always);
constexpr auto kCut = l(parent<1>);
// Others of figures 7.20 and 7.21 at the same sites: pages, any line.
constexpr auto kPages = (p | ep) * (parent<1> | always);
constexpr auto kAnyLine = (l | fl) * (parent<1> | always);

bool run_node(const DictSettings &settings) {
  const std::string_view mover = settings.mover == "sites" ? "sites-MI" : settings.mover;
  DictSettings same = settings;
  same.mover = mover;
  return run(same, "sites-MI", kInsert, kNone, kMove) ||
         run(same, "sites-M", kNone, kNone, kMoveAlone) ||
         run(same, "sites-I", kInsertAlone, kNone, kNone) ||
         run(same, "sites-C", kNone, kCut, kNone) ||
         run(same, "sites-MI-pages", kPages, kNone, p(parent<1>)) ||
         run(same, "sites-MI-first", kAnyLine, kNone, kMove);
}
bool run_fields(const DictSettings &settings) {
  const std::string_view mover = settings.mover == "sites" ? "sites-IC" : settings.mover;
  DictSettings same = settings;
  same.mover = mover;
  return run(same, "sites-IC", kInsert, kCut, kNone) ||
         run(same, "sites-I", kInsert, kNone, kNone) || run(same, "sites-C", kNone, kCut, kNone) ||
         run(same, "sites-IC-pages", kPages, p(parent<1>), kNone) ||
         run(same, "sites-IC-first", kAnyLine, kCut, kNone);
}

} // namespace

bool run_dict_sites(const DictSettings &settings) {
  return settings.variant == "node" ? run_node(settings) : run_fields(settings);
}

} // namespace bench
