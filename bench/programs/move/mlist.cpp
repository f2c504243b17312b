// MLIST (Adcock 2009, 3.2.2), under movers and strategies, or none, or as cache-aware lists keep it. Prints one JSON
// object.
#include "move/mlist.hpp"

#include "common/options.hpp"

namespace {

bench::MlistSettings parse(int argc, char **argv) {
  bench::MlistSettings settings;
  bench::Options options("mlist", "Deletes from and inserts into many lists whose nodes move.");
  options.number("nodes", settings.nodes, {2, 200'000'000}, "nodes in all");
  options.number("lists", settings.lists, {1, 100'000'000}, "lists: v");
  options.number("operations", settings.operations, {10, 10'000'000'000},
                 "deletions and insertions");
  options.number("batch", settings.batch, {1, 1'000'000'000}, "operations that are timed as one");
  options.number("sample", settings.sample, {0, 10'000'000'000},
                 "operations of each tenth that are timed, where nodes stay; the others are made "
                 "without walks");
  options.text("mover", settings.mover,
               "none, upper, layout-PcLco|PcLc|PcLm|PmLc|PmLm|Lc|Lm|none, periodic2space, "
               "incremental2space, periodic1space, "
               "incremental1space, embedded1space[-as-walked|-to-end], minimised, sites-next, "
               "sites-last, sites-first, "
               "sites-both, sites-beside, sites-pages, sites-ccmalloc, strict[-vcl], loose[-vcl], "
               "half-full, vcl");
  options.number("percent", settings.percent, {100, 1000}, "cells for 100 nodes: m");
  options.number("period", settings.period, {0, UINT64_MAX}, "operations between two passes");
  options.number("rate", settings.rate, {0, 100'000'000},
                 "nodes looked at in 1000 operations, or walks of 1000 that move");
  options.number("threshold", settings.threshold, {1, 4096}, "cells a block must have free");
  options.number("least", settings.least, {0, 99}, "per cent of a block that must be used");
  options.number("block", settings.block, {64, 4096}, "bytes of a block: 64, 256, 1024 or 4096");
  options.flag("compact", settings.compacts, "compact where no block has room");
  options.number("seed", settings.seed, {0, UINT64_MAX}, "seed");
  options.parse(argc, argv);
  return settings;
}

} // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): where memory runs out, the program may end
int main(int argc, char **argv) {
  const bench::MlistSettings settings = parse(argc, argv);
  const bool known = bench::run_list_movers(settings) || bench::run_list_sites(settings) ||
                     bench::run_perfect_lists(settings) || bench::run_unrolled_lists(settings) ||
                     bench::run_minimised_lists(settings);
  if (!known) std::fprintf(stderr, "mlist: no such mover; --help names them\n");
  return known ? 0 : 2;
}
