#include "survey/census.hpp"

#include "trace/rows.hpp"

#include <algorithm>
#include <bit>

namespace abut::report {

using trace::EventKind;

void Census::take(const trace::Event &event, uint64_t address, uint64_t clock) {
  if (event.kind == EventKind::allocate) {
    bear(event, address, clock);
    return;
  }
  if (event.object >= objects_.size()) return;
  Object &object = objects_[event.object];
  if (object.born == kAlive || object.died != kAlive) return;
  if (event.kind == EventKind::resize || event.kind == EventKind::move) {
    occupy(object, false);
    object.address = address;
    resize(object, event.size, clock);
    occupy(object, true);
  } else if (event.kind == EventKind::free) {
    occupy(object, false);
    const uint64_t size = object.size;
    resize(object, 0, clock);
    object.size = size; // which its lines had while it lived
    object.died = clock;
    ContextCensus &sums = trace::row_of(contexts_, object.context);
    --sums.immortal;
    ++sums.lives[std::min<size_t>(std::bit_width(clock - std::min(clock, object.born)),
                                  kLifeBins - 1)];
  }
}

void Census::bear(const trace::Event &event, uint64_t address, uint64_t clock) {
  if (!trace::grow_to(objects_, event.object)) return;
  Object &object = objects_[event.object];
  object = {address, 0, clock, kAlive, event.context};
  ContextCensus &sums = trace::row_of(contexts_, event.context);
  ++sums.objects;
  ++sums.immortal;
  sums.bytes += event.size;
  ++sums.sizes[size_bin(event.size)];
  resize(object, event.size, clock);
  occupy(object, true);
}

// The pages between the first and the last are the object's alone.
void Census::occupy(const Object &object, bool begins) {
  constexpr uint64_t kPage = 4096;
  const uint64_t first = object.address / kPage;
  const uint64_t last = (object.address + std::max<uint64_t>(object.size, 1) - 1) / kPage;
  const uint64_t between = last - first > 1 ? last - first - 1 : 0;
  pages_ += begins ? between : 0 - between;
  for (const uint64_t page : {first, last}) {
    uint32_t &count = on_page_[page];
    if (!begins && count == 0) continue; // what a layout moved without an event
    pages_ += begins && count == 0 ? 1 : 0;
    count += begins ? 1 : ~0U;
    if (!begins && count == 0) {
      --pages_;
      on_page_.erase(page);
    }
    if (last == first) break;
  }
}

void Census::resize(Object &object, uint64_t size, uint64_t clock) {
  ContextCensus &sums = trace::row_of(contexts_, object.context);
  sums.live += size - object.size;
  live_ += size - object.size;
  object.size = size;
  sums.most_live = std::max(sums.most_live, sums.live);
  if (live_ > most_live_) {
    most_live_ = live_;
    peak_ = clock;
  }
}

place::EdgeList Census::line_mates(uint64_t clock) const {
  constexpr uint64_t kLine = 64;
  std::vector<uint32_t> there;
  for (size_t i = 1; i < objects_.size(); ++i)
    if (objects_[i].born <= clock && objects_[i].died > clock && objects_[i].size != 0)
      there.push_back(static_cast<uint32_t>(i));
  std::sort(there.begin(), there.end(), [this](uint32_t left, uint32_t right) {
    return objects_[left].address < objects_[right].address;
  });
  place::EdgeCounter pairs(size_t{1} << 20);
  for (size_t i = 0; i < there.size(); ++i) {
    const Object &first = objects_[there[i]];
    const uint64_t last_line = (first.address + first.size - 1) / kLine;
    for (size_t j = i + 1; j < there.size(); ++j) {
      const Object &second = objects_[there[j]];
      if (second.address / kLine > last_line) break;
      pairs.add(std::min(first.context, second.context), std::max(first.context, second.context));
    }
  }
  return pairs.take();
}

} // namespace abut::report
