#include "bindings/parts.hpp"

#include "bindings/arrays.hpp"
#include "bindings/layouts.hpp"
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
template <typename Things, typename Get>
auto column_of(const Things &things, Get get) {
  std::vector<std::decay_t<decltype(get(things.front()))>> column;
  column.reserve(things.size());
  for (const auto &thing : things) column.push_back(get(thing));
  return to_array(column);
}

// The same of a member that is an array: row by row.
template <typename Things, typename Get>
auto table_of(const Things &things, Get get) {
  std::vector<uint64_t> table;
  for (const auto &thing : things) table.insert(table.end(), get(thing).begin(), get(thing).end());
  return to_array(table);
}

nb::dict picture_of(const Look &look, uint32_t most_rows) {
  const report::Picture picture = look.survey->map().picture(most_rows);
  using Row = report::Picture::Row;
  nb::dict dict;
  dict["columns"] = picture.columns;
  dict["granule"] = picture.granule;
  dict["address"] = column_of(picture.rows, [](const Row &row) { return row.address; });
  dict["bytes"] = column_of(picture.rows, [](const Row &row) { return row.bytes; });
  dict["touched"] = column_of(picture.rows, [](const Row &row) { return row.touched; });
  dict["accesses"] = column_of(picture.tiles, [](const Tile &tile) { return tile.accesses; });
  dict["allocator"] = column_of(picture.tiles, [](const Tile &tile) { return tile.allocator; });
  dict["ages"] = column_of(picture.tiles, [](const Tile &tile) { return tile.ages; });
  dict["owner"] = column_of(picture.tiles, [](const Tile &tile) { return tile.owner; });
  return dict;
}

nb::dict census_of(const Look &look) {
  const report::Census &census = look.survey->census();
  const auto &rows = census.contexts();
  using Row = ContextCensus;
  nb::dict dict;
  dict["objects"] = column_of(rows, [](const Row &row) { return row.objects; });
  dict["bytes"] = column_of(rows, [](const Row &row) { return row.bytes; });
  dict["most_live"] = column_of(rows, [](const Row &row) { return row.most_live; });
  dict["immortal"] = column_of(rows, [](const Row &row) { return row.immortal; });
  dict["sizes"] = table_of(
      rows, [](const Row &row) -> const auto & { return row.sizes; });
  dict["lives"] = table_of(
      rows, [](const Row &row) -> const auto & { return row.lives; });
  dict["most_live_bytes"] = census.most_live_bytes();
  dict["peak"] = census.peak();
  return dict;
}

nb::tuple pairs_of(const Look &look) {
  using Pair = report::Survey::Pair;
  const std::vector<Pair> &pairs = look.survey->pairs();
  return nb::make_tuple(column_of(pairs, [](const Pair &pair) { return pair.context; }),
                        column_of(pairs, [](const Pair &pair) { return pair.code; }));
}

nb::tuple edges_of(const place::EdgeList &edges) {
  return nb::make_tuple(to_array(edges.from), to_array(edges.to), to_array(edges.weight));
}

nb::tuple fields_of(const Look &look) {
  const auto &rows = look.survey->fields().contexts();
  using Row = FieldHeat::Heat;
  return nb::make_tuple(table_of(
                            rows, [](const Row &row) -> const auto & { return row.reads; }),
                        table_of(
                            rows, [](const Row &row) -> const auto & { return row.writes; }));
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
      .def("pairs", &pairs_of)
      .def("picture", &picture_of, "most_rows"_a)
      .def("census", &census_of)
      .def("fields", &fields_of)
      .def("co_accesses",
           [](const Look &look) { return edges_of(look.survey->take_co_accesses()); })
      .def("line_mates", [](const Look &look) {
        const report::Census &census = look.survey->census();
        return edges_of(census.line_mates(census.peak()));
      });
}

} // namespace abut::bindings
