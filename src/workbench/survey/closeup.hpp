// A part of a run looked at closely, as recorded: what lies on its lines, which fields are used together, what threads
// share. Only the program's own accesses to known objects.
#pragma once

#include "sim/layouts/replay.hpp"
#include "survey/line_contents.hpp"
#include "survey/sharing.hpp"
#include "survey/visits.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace abut::report {

class Closeup {
public:
  // The reader must outlive it. `windows`: chunks [from, to) whose accesses are looked at; empty: all. The cache has so
  // many sets and ways.
  Closeup(trace::Reader &reader, std::vector<std::pair<size_t, size_t>> windows, uint32_t sets,
          uint32_t ways);

  void run();

  LineContents &lines() { return lines_; }
  const Sharing &sharing() const { return sharing_; }
  const Visits &visits() const { return visits_; }

private:
  void take(const trace::Event &event);
  void look(uint32_t i);

  std::unique_ptr<sim::Layout> layout_;
  sim::Replay replay_;
  LineContents lines_;
  Sharing sharing_;
  Visits visits_;
};

} // namespace abut::report
