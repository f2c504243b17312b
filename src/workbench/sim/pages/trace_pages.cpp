#include "sim/pages/trace_pages.hpp"

#include "trace/batches.hpp"
#include "trace/rows.hpp"

#include <algorithm>
#include <vector>

namespace abut::sim {

namespace {

using trace::Batches;
using trace::Event;
using trace::EventKind;

class PageReader {
public:
  PageReader(Layout &layout, Setting setting, bool strays, PageModel &model)
      : layout_(layout), model_(model), recorded_(setting == Setting::as_recorded),
        strays_(strays) {}

  void take(const Batches &batch) {
    batch.in_order([&](uint32_t begin, uint32_t end) { touch(batch, begin, end); },
                   [this](const Event &event) { take(event); });
  }

private:
  void touch(const Batches &batch, uint32_t begin, uint32_t end) {
    addresses_.clear();
    sizes_.clear();
    kinds_.clear();
    for (uint32_t i = begin; i < end; ++i) {
      const uint64_t object = batch.objects()[i];
      const Kind kind = batch.kinds()[i];
      const bool counts = object != 0 ? layout_.knows(object)
                                      : recorded_ && (strays_ || side_of(kind) == Side::allocator);
      if (!counts) continue;
      addresses_.push_back(layout_.address_of(object, batch.offsets()[i]));
      sizes_.push_back(batch.sizes()[i]);
      kinds_.push_back(kind);
    }
    model_.take({addresses_, sizes_, kinds_, {}, {}});
  }

  // Live data is what was asked for (Vam, section 4.4), without what the allocator adds.
  void take(const Event &event) {
    layout_.take(event);
    switch (event.kind) {
    case EventKind::allocate:
    case EventKind::resize:
    case EventKind::move: resize(event.object, event.size); break;
    case EventKind::free: resize(event.object, 0); break;
    case EventKind::discard:
      if (recorded_) model_.discard(event.address, event.size);
      break;
    default: break;
    }
  }

  void resize(uint64_t object, uint64_t bytes) {
    if (!trace::grow_to(live_, object)) return;
    model_.live(bytes, live_[object]);
    live_[object] = bytes;
  }

  Layout &layout_;
  PageModel &model_;
  bool recorded_;
  bool strays_;
  std::vector<uint64_t> live_; // bytes, by object
  std::vector<uint64_t> addresses_;
  std::vector<uint32_t> sizes_;
  std::vector<Kind> kinds_;
};

bool has_objects(trace::Reader &reader) {
  std::vector<Event> events;
  for (size_t chunk = 0; chunk < reader.chunks().size(); ++chunk)
    if (reader.read_events(chunk, events) &&
        std::any_of(events.begin(), events.end(),
                    [](const Event &event) { return event.kind == EventKind::allocate; }))
      return true;
  return false;
}

} // namespace

void read_pages(trace::Reader &reader, Layout &layout, Setting setting, PageModel &model) {
  PageReader pages(layout, setting, !has_objects(reader), model);
  for (Batches batches(reader); batches.next();) pages.take(batches);
}

} // namespace abut::sim
