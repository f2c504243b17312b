#include "sim/layouts/layout.hpp"

#include "trace/rows.hpp"

namespace abut::sim {

using trace::Event;
using trace::EventKind;

void Layout::take(const Event &event) {
  switch (event.kind) {
  case EventKind::allocate:
    if (trace::grow_to(places_, event.object)) settle(places_[event.object], event);
    return;
  case EventKind::resize:
  case EventKind::move:
    if (event.object != 0 && event.object < places_.size()) settle(places_[event.object], event);
    return;
  case EventKind::free:
    if (event.object < places_.size() && places_[event.object].live) {
      places_[event.object].live = false;
      give_back(places_[event.object].base, places_[event.object].size);
    }
    return;
  default: return; // hints and gaps move nothing
  }
}

void Layout::settle(Place &place, const Event &event) {
  const bool stays = place.live && event.kind == EventKind::resize;
  const uint64_t recorded = stays ? place.recorded : event.address;
  place.recorded = recorded;
  if (place.live) {
    if (can_stay(event, place.size, event.size)) return;
    give_back(place.base, place.size);
  }
  place = {this->place(event, event.size), event.size, recorded, true, is_rearranged(event.object)};
}

} // namespace abut::sim
