// Where a sample of a benchmark's operations is timed, the others must do the same to the layout.
#include "move/dict_store.hpp"
#include "move/dict_tree.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using bench::DictSettings;
using Tree = bench::DictTree<bench::kDictShape, adcock::move::Needs{}, bench::NoSites>;
using Store = bench::TreeStore<Tree, bench::DictLinks>;

// Where look-ups come to in the end, from the first node they come to.
std::vector<std::uint64_t> layout_after(DictSettings settings) {
  const std::string path = std::filesystem::temp_directory_path() / "abut_sampling_test";
  settings.visits = path;
  bench::DictProgram<Store>(settings).run();
  std::vector<std::uint64_t> visits(std::filesystem::file_size(path) / sizeof(std::uint64_t));
  std::ifstream(path, std::ios::binary)
      .read(reinterpret_cast<char *>(visits.data()),
            static_cast<std::streamsize>(visits.size() * sizeof(visits[0])));
  std::filesystem::remove(path);
  const std::uint64_t first = visits.at(0);
  for (std::uint64_t &visit : visits) visit -= first;
  return visits;
}

TEST(Sampling, WhatIsPassedOverChangesTheLayoutAlike) {
  DictSettings settings;
  settings.nodes = 500;
  settings.operations = 8000;
  settings.changes = 100;
  const auto in_full = layout_after(settings);
  settings.sample = 160;
  EXPECT_EQ(layout_after(settings), in_full);
  settings.changes = 90;
  EXPECT_NE(layout_after(settings), in_full);
}

TEST(Sampling, ASliceEndsWithWhatIsTimed) {
  const bench::Sampling sampling{1000, 24, 4}; // a tenth of 100, slices of 25
  std::vector<std::uint64_t> parts;
  const auto note = [&](std::uint64_t operations) { parts.push_back(operations); };
  sampling.run(0, 1, note, note);
  EXPECT_EQ(parts, (std::vector<std::uint64_t>{19, 6, 19, 6, 19, 6, 19, 6}));
}

} // namespace
