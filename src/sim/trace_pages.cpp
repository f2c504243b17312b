#include "sim/trace_pages.hpp"

#include "sim/trace_addresses.hpp"
#include "trace/batches.hpp"

#include <algorithm>
#include <vector>

namespace abut::sim {

namespace {

using trace::Event;
using trace::EventKind;

// Live data is what was asked for (Vam, section 4.4), without what the allocator adds.
class LiveData {
public:
  explicit LiveData(PageModel &model) : model_(model) {}

  void take(const Event &event) {
    switch (event.kind) {
    case EventKind::allocate:
    case EventKind::resize:
    case EventKind::move: set(event.object, event.size); break;
    case EventKind::free: set(event.object, 0); break;
    default: break;
    }
  }

private:
  void set(uint64_t object, uint64_t bytes) {
    if (object >= sizes_.size()) {
      if (object - sizes_.size() > trace::kMostLostBirths) return;
      sizes_.resize(std::max<size_t>(object + 1, 2 * sizes_.size()));
    }
    model_.live(bytes, sizes_[object]);
    sizes_[object] = bytes;
  }

  PageModel &model_;
  std::vector<uint64_t> sizes_;
};

} // namespace

void read_pages(trace::Reader &reader, Strays strays, PageModel &model) {
  LiveData live(model);
  TraceAddresses addresses(reader, strays == Strays::counted);
  addresses.read([&](const Addresses &piece) { model.touch(piece); },
                 [&](const Event &event) {
                   if (event.kind == EventKind::discard) model.discard(event.address, event.size);
                   live.take(event);
                 });
}

void read_pages(trace::Reader &reader, std::span<const uint64_t> places, PageModel &model) {
  LiveData live(model);
  TraceAddresses addresses(reader, places);
  addresses.read([&](const Addresses &piece) { model.touch(piece); },
                 [&](const Event &event) { live.take(event); });
}

} // namespace abut::sim
