// DICT (Adcock 2009, 3.2.1), under movers and strategies, or none, or as a B-tree. Prints one JSON object.
#include "move/dict.hpp"

#include "common/options.hpp"

namespace {

bench::DictSettings parse(int argc, char **argv) {
  bench::DictSettings settings;
  bench::Options options("dict",
                         "Looks up, deletes and inserts in a search tree whose nodes move.");
  options.number("nodes", settings.nodes, {2, 200'000'000}, "nodes of the tree");
  options.number("operations", settings.operations, {10, 10'000'000'000}, "look-ups");
  options.number("batch", settings.batch, {1, 1'000'000'000}, "operations that are timed as one");
  options.number("changes", settings.changes, {0, 1000},
                 "look-ups of 1000 after which the node is deleted and another inserted");
  options.number("sample", settings.sample, {0, 10'000'000'000},
                 "operations of each tenth that are timed; of the others only changes are made");
  options.choice("variant", settings.variant, {"node", "fields"},
                 "what a deletion moves: MOVENODE or MOVEFIELDS");
  options.text("mover", settings.mover,
               "none, upper, layout-worst|page|line|veb, sites, ccmalloc-static, "
               "periodic2space[-nested], periodic1space, "
               "incremental1space, incremental2space, embedded1space, embedded2space, tuned, "
               "bfs[-0|-1|-2], fixed[-0|-1|-2], btree[-64|-256|-512], sites-I|C|M, "
               "sites-other-p1c2f, sites-insert-p2c0t, 'sites-L;EL' and others of figures 7.18 to "
               "7.21; sites-MI|IC-newblock|firstfit-extended|vanilla");
  options.number("percent", settings.percent, {100, 1000}, "cells for 100 nodes: m");
  options.number("period", settings.period, {0, UINT64_MAX}, "operations between two passes");
  options.number("rate", settings.rate, {0, 1'000'000},
                 "nodes looked at in 1000 operations, or look-ups of 1000 that move");
  options.number("threshold", settings.threshold, {1, 64}, "cells a line must have free");
  options.flag("compact", settings.compacts, "compact where no line has");
  options.text("visits", settings.visits, "where addresses of 50,000 look-ups are written");
  options.number("seed", settings.seed, {0, UINT64_MAX}, "seed of the keys");
  options.parse(argc, argv);
  return settings;
}

} // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): where memory runs out, the program may end
int main(int argc, char **argv) {
  const bench::DictSettings settings = parse(argc, argv);
  const bool known = bench::run_dict_movers(settings) || bench::run_dict_sites(settings) ||
                     bench::run_dict_perfect(settings) || bench::run_dict_btree(settings) ||
                     bench::run_dict_ccmalloc(settings);
  if (!known) std::fprintf(stderr, "dict: no such mover; --help names them\n");
  return known ? 0 : 2;
}
