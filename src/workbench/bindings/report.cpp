#include "bindings/parts.hpp"

#include "bindings/arrays.hpp"
#include "bindings/layouts.hpp"
#include "survey/closeup.hpp"
#include "survey/survey.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace abut::bindings {
namespace {

using report::ContextCensus;
using report::FieldHeat;
using report::Tile;
using sim::Consumer;

using Windows = std::vector<std::pair<size_t, size_t>>;

// A survey, with what it reads from.
struct Look {
  std::shared_ptr<trace::Reader> reader;
  std::unique_ptr<sim::Layout> layout;
  std::unique_ptr<report::Survey> survey;

  bool advance(const std::vector<Consumer *> &by_context, const std::vector<Consumer *> &by_pair) {
    const nb::gil_scoped_release others_may_run;
    return survey->advance(by_context, by_pair);
  }
};

std::unique_ptr<Look> make_look(std::shared_ptr<trace::Reader> reader, const nb::object &layout,
                                uint64_t seed, uint32_t columns, uint32_t rows, Windows windows,
                                bool application_only) {
  auto look = std::make_unique<Look>();
  look->reader = std::move(reader);
  look->layout = layout_of(*look->reader, layout, seed);
  report::SurveySettings settings;
  settings.columns = columns;
  settings.most_rows = rows;
  settings.windows = std::move(windows);
  settings.application_only = application_only;
  look->survey =
      std::make_unique<report::Survey>(*look->reader, *look->layout, std::move(settings));
  return look;
}

// A column of one member of each thing.
template <typename Things, typename Member>
auto column_of(const Things &things, Member member) {
  std::vector<std::decay_t<decltype(things.front().*member)>> column;
  column.reserve(things.size());
  for (const auto &thing : things) column.push_back(thing.*member);
  return to_array(column);
}

// The same of a member that is an array: row by row.
template <typename Things, typename Member>
auto table_of(const Things &things, Member member) {
  std::vector<uint64_t> table;
  for (const auto &thing : things)
    table.insert(table.end(), (thing.*member).begin(), (thing.*member).end());
  return to_array(table);
}

nb::dict picture_of(const Look &look, uint32_t most_rows) {
  const report::Picture picture = look.survey->map().picture(most_rows);
  using Row = report::Picture::Row;
  nb::dict dict;
  dict["columns"] = picture.columns;
  dict["granule"] = picture.granule;
  dict["address"] = column_of(picture.rows, &Row::address);
  dict["bytes"] = column_of(picture.rows, &Row::bytes);
  dict["touched"] = column_of(picture.rows, &Row::touched);
  dict["accesses"] = column_of(picture.tiles, &Tile::accesses);
  dict["allocator"] = column_of(picture.tiles, &Tile::allocator);
  dict["ages"] = column_of(picture.tiles, &Tile::ages);
  dict["owner"] = column_of(picture.tiles, &Tile::owner);
  return dict;
}

nb::dict census_of(const Look &look) {
  const report::Census &census = look.survey->census();
  const auto &rows = census.contexts();
  using Row = ContextCensus;
  nb::dict dict;
  dict["objects"] = column_of(rows, &Row::objects);
  dict["bytes"] = column_of(rows, &Row::bytes);
  dict["live"] = column_of(rows, &Row::live);
  dict["most_live"] = column_of(rows, &Row::most_live);
  dict["immortal"] = column_of(rows, &Row::immortal);
  dict["sizes"] = table_of(rows, &Row::sizes);
  dict["lives"] = table_of(rows, &Row::lives);
  dict["most_live_bytes"] = census.most_live_bytes();
  dict["peak"] = census.peak();
  return dict;
}

nb::tuple pairs_of(const Look &look) {
  using Pair = report::Survey::Pair;
  const std::vector<Pair> &pairs = look.survey->pairs();
  return nb::make_tuple(column_of(pairs, &Pair::context), column_of(pairs, &Pair::code));
}

nb::tuple fields_of(const Look &look) {
  const auto &rows = look.survey->fields().contexts();
  using Row = FieldHeat::Heat;
  return nb::make_tuple(table_of(rows, &Row::reads), table_of(rows, &Row::writes));
}

// A part of a run looked at closely, with what it reads from.
struct CloseLook {
  std::shared_ptr<trace::Reader> reader;
  std::unique_ptr<report::Closeup> closeup;
};

std::unique_ptr<CloseLook> look_closely(std::shared_ptr<trace::Reader> reader,
                                        std::vector<std::pair<size_t, size_t>> windows,
                                        uint32_t sets, uint32_t ways) {
  auto look = std::make_unique<CloseLook>();
  look->reader = std::move(reader);
  const nb::gil_scoped_release others_may_run;
  look->closeup = std::make_unique<report::Closeup>(*look->reader, std::move(windows), sets, ways);
  look->closeup->run();
  return look;
}

nb::dict lines_of(const CloseLook &look) {
  using report::Brought;
  const std::vector<Brought> &rows = look.closeup->lines().contexts();
  nb::dict dict;
  dict["lines"] = column_of(rows, &Brought::lines);
  dict["used"] = column_of(rows, &Brought::used);
  dict["own"] = column_of(rows, &Brought::own);
  dict["alike"] = column_of(rows, &Brought::alike);
  dict["others"] = column_of(rows, &Brought::others);
  dict["straddled"] = column_of(rows, &Brought::straddled);
  dict["uses"] = table_of(rows, &Brought::uses);
  dict["by_field"] = table_of(rows, &Brought::by_field);
  dict["by_set"] = table_of(rows, &Brought::by_set);
  return dict;
}

nb::tuple mates_of(const CloseLook &look) {
  return edge_arrays(look.closeup->lines().take_mates());
}

// By context: true sharing's misses, false sharing's; then a row for each pair of fields of the latter.
nb::tuple sharing_of(const CloseLook &look) {
  using Misses = report::Sharing::Misses;
  const auto &rows = look.closeup->sharing().contexts();
  nb::list pairs;
  for (const auto &[pair, count] : look.closeup->sharing().pairs())
    pairs.append(nb::make_tuple(pair.missed.context, pair.missed.word, pair.written.context,
                                pair.written.word, count));
  return nb::make_tuple(column_of(rows, &Misses::true_sharing),
                        column_of(rows, &Misses::false_sharing), pairs);
}

// The fields of a context that are used together: words as bits, and visits.
nb::list visits_of(const CloseLook &look, size_t context) {
  nb::list list;
  const auto &rows = look.closeup->visits().contexts();
  if (context < rows.size())
    for (const auto &set : rows[context])
      if (set.visits != 0) list.append(nb::make_tuple(set.words, set.visits));
  return list;
}

} // namespace

void add_report(nb::module_ &m) {
  using namespace nb::literals;
  nb::class_<Look>(m, "Survey")
      .def(nb::new_(&make_look), "reader"_a, "layout"_a, "seed"_a, "columns"_a, "rows"_a,
           "windows"_a, "application_only"_a = false)
      .def("advance", &Look::advance, "by_context"_a, "by_pair"_a)
      .def("accesses", [](const Look &look) { return look.survey->accesses(); })
      .def("columns", [](const Look &look) { return to_array(look.survey->column_starts()); })
      .def("live", [](const Look &look) { return to_array(look.survey->live_bytes()); })
      .def("live_pages", [](const Look &look) { return to_array(look.survey->live_pages()); })
      .def("pairs", &pairs_of)
      .def("picture", &picture_of, "most_rows"_a)
      .def("census", &census_of)
      .def("fields", &fields_of)
      .def("co_accesses",
           [](const Look &look) { return edge_arrays(look.survey->take_co_accesses()); })
      .def("line_mates", [](const Look &look) {
        const report::Census &census = look.survey->census();
        return edge_arrays(census.line_mates(census.peak()));
      });
  nb::class_<CloseLook>(m, "Closeup")
      .def(nb::new_(&look_closely), "reader"_a, "windows"_a, "sets"_a, "ways"_a)
      .def("lines", &lines_of)
      .def("mates", &mates_of)
      .def("sharing", &sharing_of)
      .def("visits", &visits_of, "context"_a);
}

} // namespace abut::bindings
