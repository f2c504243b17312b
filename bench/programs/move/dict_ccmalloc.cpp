// DICT with ccmalloc where its nodes are requested (Chilimbi, Hill and Larus: static), and with dynamic forms of ccmalloc where its links change (Adcock 2009, figures 4.7 and 7.3): in the hint's line, else in
// its page, else anywhere. The extended forms choose the last by how empty it is, the vanilla ones do not.
#include "move/dict_store.hpp"
#include "move/dict_tree.hpp"

#include <string>
#include <type_traits>

namespace bench {
namespace {

using namespace adcock::move; // NOLINT(google-build-using-namespace): this is what it is about
using namespace grammar;

template <typename Second, typename Third>
bool run(const DictSettings &settings, std::string_view form, Second second, Third third) {
  const bool fields = settings.variant == "fields";
  if (settings.mover != (fields ? "sites-IC-" : "sites-MI-") + std::string(form)) return false;
  const auto insert = l(parent<1>) | second(parent<1>) | third(always);
  const auto cut = l(parent<1>);
  const auto move = l(parent<1>) | l(child<2>);
  using Insert = std::remove_const_t<decltype(insert)>;
  using Cut = std::remove_const_t<decltype(cut)>;
  using Move = std::remove_const_t<decltype(move)>;
  using Fields = DictSites<Insert, Cut, Strategy<>>;
  using Nodes = DictSites<Insert, Strategy<>, Move>;
  if (fields)
    DictProgram<TreeStore<DictTree<kDictShape, Needs{}, Fields>>>(settings).run();
  else
    DictProgram<TreeStore<DictTree<kDictShape, Needs{}, Nodes>>>(settings).run();
  return true;
}

// In the hint's line, else in an empty one of its page, else anywhere, while the tree is built; then nothing moves.
constexpr auto kStatic = l(parent<1>) | nlip(parent<1>) | f(always);
using StaticSites = DictSites<std::remove_const_t<decltype(kStatic)>, Strategy<>, Strategy<>>;
using StaticTree = DictTree<kDictShape, Needs{}, StaticSites>;
class StaticStore : public TreeStore<StaticTree> {
public:
  using TreeStore::TreeStore;
  void built() {
    tree_.stop_coallocating();
    tree_.heap().bound_ratio(static_cast<double>(settings_.percent) / 100);
  }
};

} // namespace

bool run_dict_ccmalloc(const DictSettings &settings) {
  if (settings.mover == "ccmalloc-static") {
    DictProgram<StaticStore>(settings).run();
    return true;
  }
  return run(settings, "newblock-extended", nlip, el) ||
         run(settings, "newblock-vanilla", nlip, f) ||
         run(settings, "firstfit-extended", flip, el) || run(settings, "firstfit-vanilla", flip, f);
}

} // namespace bench
