// DICT with layouts that are put right at every update (Adcock 2009, 6.2): figures 7.10 and 7.11.
#include "move/dict_perfect.hpp"

#include "move/dict_store.hpp"

namespace bench {
namespace {

using adcock::move::Shape;

template <Shape Form>
bool run(const DictSettings &settings, std::string_view name) {
  if (!settings.mover.starts_with(name)) return false;
  const std::string_view depth = settings.mover.substr(name.size());
  if (depth == "-0")
    DictProgram<TreeStore<PerfectDict<kDictShape, Form, 0>>>(settings).run();
  else if (depth == "-1")
    DictProgram<TreeStore<PerfectDict<kDictShape, Form, 1>>>(settings).run();
  else
    DictProgram<TreeStore<PerfectDict<kDictShape, Form, 2>>>(settings).run();
  return true;
}

} // namespace

bool run_dict_perfect(const DictSettings &settings) {
  return run<Shape::breadth_first>(settings, "bfs") || run<Shape::fixed_height>(settings, "fixed");
}

} // namespace bench
