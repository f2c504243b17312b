#include "bindings/parts.hpp"

#include "bindings/arrays.hpp"
#include "bindings/failure.hpp"
#include "bindings/layouts.hpp"
#include "bindings/sim_settings.hpp"
#include "sim/layouts/replay.hpp"
#include "sim/tree/optimum.hpp"
#include "sim/tree/tree.hpp"
#include "sim/tree/utilisation.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace abut::bindings {
namespace {

using sim::Consumer;
using sim::Replay;
using sim::Tree;
using trace::Reader;

template <typename Number>
using Optional = std::optional<Input<Number>>;

template <typename Number>
std::span<const Number> column(const char *name, const Optional<Number> &given, size_t count) {
  if (!given) return {};
  if (given->size() != count) throw TraceFailure({name, "there must be as many as addresses", ""});
  return span_of(*given);
}

void take(Consumer &consumer, const Input<uint64_t> &addresses, const Optional<uint32_t> &sizes,
          const Optional<uint8_t> &kinds, const Optional<uint32_t> &threads,
          const Optional<uint32_t> &owners, const Optional<uint64_t> &codes,
          const Optional<uint64_t> &recorded, const Optional<uint8_t> &sources) {
  const size_t count = addresses.size();
  const sim::References references{
      {addresses.data(), count},           column("sizes", sizes, count),
      column("kinds", kinds, count),       column("threads", threads, count),
      column("owners", owners, count),     column("codes", codes, count),
      column("recorded", recorded, count), column("sources", sources, count)};
  const nb::gil_scoped_release others_may_run;
  consumer.take(references);
}

nb::dict prefetches_of(const sim::PrefetchCounts &counts) {
  nb::dict dict;
  dict["issued"] = counts.issued;
  dict["timely"] = counts.timely;
  dict["late"] = counts.late;
  dict["unused"] = counts.unused;
  return dict;
}

nb::dict counts_of(const Tree &tree, size_t level) {
  if (level >= tree.levels().size()) throw nb::index_error("no such level");
  const sim::Counts counts = tree.counts(level);
  nb::dict dict;
  dict["name"] = tree.levels()[level].name;
  dict["accesses"] = counts.accesses;
  dict["misses"] = counts.misses;
  dict["classes"] = nb::make_tuple(counts.classes[0], counts.classes[1]);
  dict["prefetches"] =
      nb::make_tuple(prefetches_of(counts.prefetches[0]), prefetches_of(counts.prefetches[1]));
  dict["evictions"] = counts.evictions;
  dict["write_backs"] = counts.write_backs;
  dict["taken_back"] = counts.taken_back;
  dict["prefetch_fetches"] = counts.prefetch_fetches;
  dict["misses_by_owner"] = to_array(counts.misses_by_owner);
  return dict;
}

std::vector<sim::LevelSettings> all_settings_of(const nb::list &levels) {
  std::vector<sim::LevelSettings> settings;
  for (const nb::handle &level : levels) settings.push_back(settings_of(nb::cast<nb::dict>(level)));
  return settings;
}

std::unique_ptr<Tree> make_tree(const nb::list &levels) {
  return value_of(Tree::make(all_settings_of(levels)));
}

void check_levels(const nb::list &levels) {
  if (const auto error = sim::check(all_settings_of(levels))) throw TraceFailure(*error);
}

nb::dict utilisation_of(const sim::Utilisation &utilisation) {
  const sim::UtilisationCounts counts = utilisation.counts();
  nb::dict dict;
  dict["line_bytes"] = utilisation.line_bytes();
  dict["lines"] = counts.lines;
  dict["used_bytes"] = counts.used;
  dict["by_parts"] = counts.by_parts;
  dict["lines_by_owner"] = to_array(counts.lines_by_owner);
  dict["used_bytes_by_owner"] = to_array(counts.used_by_owner);
  return dict;
}

nb::dict solve(const sim::Optimum &optimum) {
  const auto answer = without_gil([&] { return optimum.solve(); });
  nb::dict dict;
  dict["accesses"] = answer.accesses;
  dict["misses"] = answer.misses;
  dict["whole"] = answer.whole;
  return dict;
}

// A replay, with what it reads from.
struct Run {
  std::shared_ptr<Reader> reader;
  std::unique_ptr<sim::Layout> layout;
  std::unique_ptr<Replay> replay;

  nb::object next() {
    if (!without_gil([&] { return replay->next(); })) return nb::none();
    const sim::References references = replay->references();
    nb::dict arrays;
    arrays["addresses"] = copy(references.addresses);
    arrays["sizes"] = copy(references.sizes);
    arrays["kinds"] = copy(references.kinds);
    arrays["threads"] = copy(references.threads);
    arrays["owners"] = copy(references.owners);
    return arrays;
  }

  // Feeds the whole of it to all of them; or batches until they hold so many references, or a window ends.
  uint64_t feed(const std::vector<Consumer *> &consumers, uint64_t most) {
    const nb::gil_scoped_release others_may_run;
    const bool whole = most == 0;
    const size_t window = replay->windows_done();
    uint64_t count = 0;
    while ((whole || (count < most && replay->windows_done() == window)) && replay->next()) {
      for (Consumer *consumer : consumers) {
        consumer->follow(replay->memory_events());
        consumer->take(replay->references());
      }
      count += replay->references().count();
    }
    return count;
  }

  template <typename Number>
  static Array<Number> copy(std::span<const Number> numbers) {
    Column<Number> column(numbers.size());
    column.append(numbers);
    return column.finish();
  }
};

sim::OwnedBy owned_by(const std::string &name) {
  if (name == "context") return sim::OwnedBy::context;
  if (name == "object") return sim::OwnedBy::object;
  if (name == "page") return sim::OwnedBy::page;
  return sim::OwnedBy::none;
}

std::unique_ptr<Run> make_run(std::shared_ptr<Reader> reader, const nb::object &layout,
                              uint64_t seed, const std::string &by,
                              std::vector<uint32_t> owner_of_context, const std::string &side,
                              std::vector<std::pair<uint64_t, uint64_t>> leave_out,
                              bool join_modifies, std::vector<std::pair<size_t, size_t>> windows) {
  auto run = std::make_unique<Run>();
  run->reader = std::move(reader);
  run->layout = layout_of(*run->reader, layout, seed);
  const bool moved =
      !nb::isinstance<nb::str>(layout) || nb::cast<std::string>(layout) != "recorded";
  sim::ReplayOptions options{owned_by(by),      std::move(owner_of_context),
                             side_named(side),  std::move(leave_out),
                             join_modifies,     moved,
                             std::move(windows)};
  run->replay = std::make_unique<Replay>(*run->reader, *run->layout, std::move(options));
  return run;
}

} // namespace

void add_sim(nb::module_ &m) {
  using namespace nb::literals;
  nb::class_<Consumer>(m, "Consumer")
      .def("take", &take, "addresses"_a, "sizes"_a = nb::none(), "kinds"_a = nb::none(),
           "threads"_a = nb::none(), "owners"_a = nb::none(), "codes"_a = nb::none(),
           "recorded"_a = nb::none(), "sources"_a = nb::none());
  m.def("check_levels", &check_levels, "levels"_a);
  nb::class_<Tree, Consumer>(m, "Tree")
      .def(nb::new_(&make_tree), "levels"_a)
      .def("counts", &counts_of, "level"_a)
      .def("references", [](const Tree &tree) { return tree.references(); })
      .def("references_by_owner",
           [](const Tree &tree) { return to_array(tree.references_by_owner()); })
      .def("memory",
           [](const Tree &tree) { return std::pair(tree.memory_read(), tree.memory_written()); });
  nb::class_<sim::Utilisation, Consumer>(m, "Utilisation")
      .def(nb::new_([](const nb::dict &level) {
             return value_of(sim::Utilisation::make(settings_of(level)));
           }),
           "level"_a)
      .def("counts", &utilisation_of);
  nb::class_<sim::Optimum, Consumer>(m, "Optimum")
      .def(nb::new_([](const nb::dict &level) {
             return value_of(sim::Optimum::make(settings_of(level)));
           }),
           "level"_a)
      .def("solve", &solve);
  nb::class_<Run>(m, "Replay")
      .def(nb::new_(&make_run), "reader"_a, "layout"_a, "seed"_a, "by"_a, "owner_of_context"_a,
           "side"_a, "leave_out"_a = std::vector<std::pair<uint64_t, uint64_t>>(),
           "join_modifies"_a = false, "windows"_a = std::vector<std::pair<size_t, size_t>>())
      .def("next", &Run::next)
      .def("feed", &Run::feed, "consumers"_a, "most"_a = 0)
      .def("windows_done", [](const Run &run) { return run.replay->windows_done(); })
      .def("pages", [](const Run &run) { return to_array(run.replay->pages()); });
}

} // namespace abut::bindings
