#include "survey/closeup.hpp"

#include <algorithm>

namespace abut::report {
namespace {

sim::ReplayOptions within(std::vector<std::pair<size_t, size_t>> windows) {
  sim::ReplayOptions options;
  options.windows = std::move(windows);
  return options;
}

} // namespace

Closeup::Closeup(trace::Reader &reader, std::vector<std::pair<size_t, size_t>> windows,
                 uint32_t sets, uint32_t ways)
    : layout_(sim::make_layout(sim::LayoutName::recorded, 1, reader)),
      replay_(reader, *layout_, within(std::move(windows))), lines_(sets, ways) {}

void Closeup::run() {
  while (replay_.next()) {
    const auto count = static_cast<uint32_t>(replay_.references().count());
    trace::in_order(
        replay_.position(), count, replay_.events(),
        [this](uint32_t from, uint32_t to) {
          for (uint32_t i = from; i < to; ++i) look(i);
        },
        [this](const trace::Event &event) { take(event); });
  }
  lines_.finish();
  sharing_.finish();
  visits_.finish();
}

void Closeup::take(const trace::Event &event) {
  lines_.take(event);
  if (event.kind != trace::EventKind::allocate) return;
  for (uint64_t at = 0; at < std::min<uint64_t>(event.size, 4096); at += LineContents::kLine)
    sharing_.forget((event.address + at) / LineContents::kLine);
}

void Closeup::look(uint32_t i) {
  const trace::Batches &batch = replay_.batch();
  const uint64_t object = batch.objects()[i];
  const uint8_t kind = batch.kinds()[i];
  if (object == 0 || sim::side_of(kind) == sim::Side::allocator) return;
  const uint64_t offset = batch.offsets()[i];
  const uint32_t size = std::max<uint32_t>(batch.sizes()[i], 1);
  lines_.use(object, offset, size);
  const uint32_t context = lines_.context_of(object);
  visits_.add(object, context, offset, size);
  const uint64_t address = replay_.references().addresses[i];
  const uint64_t in_line = address % LineContents::kLine;
  const uint64_t last = std::min<uint64_t>(in_line + size, LineContents::kLine) - 1;
  sharing_.use(batch.threads()[i], address / LineContents::kLine,
               static_cast<unsigned>(in_line / 8), static_cast<unsigned>(last / 8),
               {context, static_cast<uint32_t>(offset / 8)}, (kind & sim::kWrite) != 0);
}

} // namespace abut::report
