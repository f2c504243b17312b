// The accesses of a trace as addresses: where objects lay when it was recorded, or where a layout puts them.
#pragma once

#include "sim/addresses.hpp"
#include "trace/batches.hpp"
#include "trace/chunk.hpp"
#include "trace/reader.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace abut::sim {

class TraceAddresses {
public:
  // As recorded. The program's accesses to what is no object come along where `strays` is set.
  TraceAddresses(trace::Reader &reader, bool strays) : reader_(reader), strays_(strays) {}
  // Object n stays at places[n]; what is no object there is left out.
  TraceAddresses(trace::Reader &reader, std::span<const uint64_t> places)
      : reader_(reader), places_(places.begin(), places.end()), is_laid_out_(true) {}

  // Calls `references(const Addresses &)` and `event(const trace::Event &)` in the trace's order.
  template <typename References, typename OnEvent>
  void read(References references, OnEvent event) {
    for (trace::Batches batches(reader_); batches.next();) {
      uint32_t done = 0;
      for (const trace::Event &each : batches.events()) {
        // Only where objects move must the accesses before be turned into addresses first.
        const auto until = static_cast<uint32_t>(each.position - batches.first_access());
        if (until > done) references(convert(batches, done, until));
        done = std::max(done, until);
        if (!is_laid_out_) take(each);
        event(each);
      }
      if (batches.size() > done) references(convert(batches, done, batches.size()));
    }
  }

private:
  // What is not known lies nowhere, and so does what is left out.
  static constexpr uint64_t kNowhere = 0;

  void take(const trace::Event &event) {
    if (event.kind != trace::EventKind::allocate && event.kind != trace::EventKind::move) return;
    if (event.object >= places_.size()) {
      if (event.object - places_.size() > trace::kMostLostBirths) return;
      places_.resize(std::max<size_t>(event.object + 1, 2 * places_.size()), kNowhere);
    }
    places_[event.object] = event.address;
  }

  Addresses convert(const trace::Batches &batches, uint32_t begin, uint32_t end);

  trace::Reader &reader_;
  std::vector<uint64_t> places_; // by object
  bool strays_ = false;
  bool is_laid_out_ = false;
  std::vector<uint64_t> address_;
  std::vector<uint32_t> size_;
  std::vector<uint8_t> side_;
};

} // namespace abut::sim
