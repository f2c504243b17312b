#include "sim/layouts/demand.hpp"

#include "trace/rows.hpp"

#include <algorithm>

namespace abut::sim {

using trace::Event;
using trace::EventKind;

Demand Demand::of(trace::Reader &reader) {
  Demand demand;
  reader.each_event(0, reader.chunks().size(), [&](const Event &event) { demand.take(event); });
  return demand;
}

void Demand::take(const Event &event) {
  if (event.kind == EventKind::allocate) {
    if (!trace::grow_to(sizes_, event.object)) return;
  } else if (event.object >= sizes_.size() || sizes_[event.object] == 0) {
    return;
  }
  const bool settles = event.kind == EventKind::allocate || event.kind == EventKind::resize ||
                       event.kind == EventKind::move;
  if (!settles && event.kind != EventKind::free) return;
  uint64_t &size = sizes_[event.object];
  if (size != 0) remove(size);
  size = settles ? granules(event.size) * kGranule : 0;
  if (size != 0) add(size);
}

void Demand::add(uint64_t size) {
  uint64_t &most = most_[size];
  most = std::max(most, ++live_[size]);
  if (size > kPageBytes) return;
  small_ += size / kGranule;
  most_small_ = std::max(most_small_, small_);
}

void Demand::remove(uint64_t size) {
  --live_[size];
  if (size <= kPageBytes) small_ -= size / kGranule;
}

} // namespace abut::sim
