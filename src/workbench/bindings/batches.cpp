#include "bindings/batches.hpp"

#include "trace/format/access_decoder.hpp"

namespace abut::bindings {

using trace::Event;

struct BatchSource::Columns {
  Columns(size_t capacity, bool codes)
      : object(capacity), offset(capacity), size(capacity), write(capacity), side(capacity),
        thread(capacity), code(codes ? capacity : 0), source(codes ? capacity : 0) {}

  Column<int64_t> object, offset;
  Column<uint32_t> size;
  Column<bool> write;
  Column<uint8_t> side;
  Column<uint32_t> thread;
  Column<int64_t> code;
  Column<uint8_t> source;
  std::vector<Event> events;
  uint64_t first_access = 0;
  uint32_t count = 0;
};

namespace {

template <typename Number, typename Member>
Array<Number> event_column(const std::vector<Event> &events, Member member) {
  Column<Number> column(events.size());
  column.append(std::span<const Event>(events),
                [member](const Event &event) { return static_cast<Number>(event.*member); });
  return column.finish();
}

} // namespace

nb::dict event_arrays(const std::vector<Event> &events) {
  nb::dict arrays;
  arrays["kind"] = event_column<uint8_t>(events, &Event::kind);
  arrays["thread"] = event_column<uint32_t>(events, &Event::thread);
  arrays["context"] = event_column<uint32_t>(events, &Event::context);
  arrays["time"] = event_column<int64_t>(events, &Event::time);
  arrays["object"] = event_column<int64_t>(events, &Event::object);
  arrays["address"] = event_column<int64_t>(events, &Event::address);
  arrays["size"] = event_column<int64_t>(events, &Event::size);
  arrays["detail"] = event_column<int64_t>(events, &Event::detail);
  arrays["position"] = event_column<int64_t>(events, &Event::position);
  return arrays;
}

BatchSource::BatchSource(std::shared_ptr<trace::Reader> reader, size_t from, size_t to,
                         uint32_t most, bool with_codes)
    : reader_(std::move(reader)), batches_(*reader_, from, to), most_(most),
      with_codes_(with_codes) {}

void BatchSource::take(Columns &columns) const {
  columns.object.append(batches_.objects());
  columns.offset.append(batches_.offsets());
  columns.size.append(batches_.sizes());
  columns.write.append(batches_.kinds(), [](uint8_t kind) { return (kind & trace::kWrite) != 0; });
  columns.side.append(batches_.kinds(), [](uint8_t kind) {
    return static_cast<uint8_t>((kind & trace::kAllocator) != 0 ? 1 : 0);
  });
  columns.thread.append(batches_.threads());
  if (with_codes_) {
    columns.code.append(batches_.codes());
    columns.source.append(batches_.sources());
  }
  columns.events.insert(columns.events.end(), batches_.events().begin(), batches_.events().end());
  columns.count += batches_.size();
}

nb::object BatchSource::next() {
  constexpr uint32_t kPiece = trace::AccessDecoder::kBatch;
  constexpr size_t kMostEvents = size_t{1} << 20;
  Columns columns(size_t{most_} + kPiece, with_codes_);
  bool any = false;
  {
    const nb::gil_scoped_release others_may_run;
    while (columns.count < most_ && columns.events.size() < kMostEvents) {
      if (!batches_.next()) break;
      // A batch is one stretch: what follows a chunk that could not be read belongs to another.
      if (!any) columns.first_access = batches_.first_access();
      take(columns);
      any = true;
    }
  }
  if (!any) return nb::none();
  nb::dict arrays;
  arrays["first_access"] = columns.first_access;
  arrays["object"] = columns.object.finish();
  arrays["offset"] = columns.offset.finish();
  arrays["size"] = columns.size.finish();
  arrays["write"] = columns.write.finish();
  arrays["side"] = columns.side.finish();
  arrays["thread"] = columns.thread.finish();
  if (with_codes_) {
    arrays["code"] = columns.code.finish();
    arrays["source"] = columns.source.finish();
  }
  arrays["events"] = event_arrays(columns.events);
  return arrays;
}

} // namespace abut::bindings
