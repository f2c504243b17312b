// A trace as numpy batches: many of the reader's in one, so that Python's share of the work is small.
#pragma once

#include "bindings/arrays.hpp"
#include "trace/batches.hpp"

#include <cstdint>
#include <memory>

namespace abut::bindings {

class BatchSource {
public:
  BatchSource(std::shared_ptr<trace::Reader> reader, size_t from, size_t to, uint32_t most,
              bool with_codes);

  // The next batch, of about `most` accesses, as a dictionary of arrays; None where there is none left.
  nb::object next();

private:
  struct Columns;

  void take(Columns &columns) const;

  std::shared_ptr<trace::Reader> reader_;
  trace::Batches batches_;
  uint32_t most_;
  bool with_codes_;
};

// Events as a dictionary of arrays.
nb::dict event_arrays(const std::vector<trace::Event> &events);

} // namespace abut::bindings
