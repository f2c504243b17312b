// One process that is recorded, from its hello to its end.
#pragma once

#include "collect/collector.hpp"
#include "collect/session/session.hpp"

#include <chrono>

namespace abut::record {

struct Collector::Visit {
  static constexpr auto kFlushEvery = std::chrono::seconds(10);

  uint32_t session = 0;
  abut_raw_hello hello{};
  ClockReading begin{};
  std::optional<Session> reader;
  Outcome outcome;
  std::optional<int> exit_code;
  std::shared_ptr<std::atomic<bool>> replaced = std::make_shared<std::atomic<bool>>(false);
  std::chrono::steady_clock::time_point flushed = std::chrono::steady_clock::now();
};

// False where no more is to be recorded; the outcome says why.
template <typename Read>
bool Collector::read_safely(Visit &visit, Read read) {
  try {
    if (!read()) return false;
  } catch (const BadStream &bad) {
    visit.outcome.problem = std::string("the raw stream makes no sense: ") + bad.why;
    return false;
  } catch (const std::bad_alloc &) {
    visit.outcome.problem = "there is no more memory for the collector";
    return false;
  }
  trace::Writer &writer = visit.reader->writer();
  const auto now = std::chrono::steady_clock::now();
  if (now - visit.flushed > Visit::kFlushEvery) {
    writer.flush();
    visit.flushed = now;
  }
  if (const auto &error = writer.error()) {
    visit.outcome.problem = error->what + ": " + error->why;
    return false;
  }
  return true;
}

} // namespace abut::record
