#include "trace/format/event_columns.hpp"

#include <array>
#include <utility>

namespace abut::trace {

namespace {

constexpr uint8_t kSameThread = 0x10;
constexpr uint8_t kKindMask = 0x0f;

bool has_place(EventKind kind) {
  return kind == EventKind::allocate || kind == EventKind::resize || kind == EventKind::move ||
         kind == EventKind::discard;
}

bool has_detail(EventKind kind) {
  return kind == EventKind::allocate || kind == EventKind::near || kind == EventKind::touch ||
         kind == EventKind::gap;
}

// Another object, unlike a weight or an alignment, is stored as objects are.
bool has_other(EventKind kind) { return kind == EventKind::near; }

bool names_object(EventKind kind) {
  return kind != EventKind::allocate && kind != EventKind::gap && kind != EventKind::discard;
}

class EventDecoder {
public:
  explicit EventDecoder(const EventColumns &columns)
      : kinds_(columns.kinds), positions_(columns.positions), threads_(columns.threads),
        times_(columns.times), contexts_(columns.contexts), objects_(columns.objects),
        addresses_(columns.addresses), sizes_(columns.sizes), details_(columns.details) {}

  // The next event, encoded relative to `event`, the one before it.
  bool next(Event &event, uint64_t &next_object) {
    const auto kind = kinds_.get<uint8_t>();
    if ((kind & kKindMask) >= kEventKinds || kind >= 2 * kSameThread) return false;
    event.kind = static_cast<EventKind>(kind & kKindMask);
    event.position += positions_.varint();
    if ((kind & kSameThread) == 0) event.thread = threads_.number32();
    event.time += unzigzag(times_.varint());
    event.context = contexts_.number32();
    event.object = names_object(event.kind) ? next_object - objects_.varint() : 0;
    if (event.kind == EventKind::allocate) event.object = next_object++;
    read_place(event);
    event.detail = has_detail(event.kind) ? details_.varint() : 0;
    if (has_other(event.kind)) event.detail = next_object - event.detail;
    return !failed();
  }

  bool at_end() const {
    for (const ByteReader *column : all())
      if (!column->at_end()) return false;
    return true;
  }

private:
  std::array<const ByteReader *, 9> all() const {
    return {&kinds_,   &positions_, &threads_, &times_,  &contexts_,
            &objects_, &addresses_, &sizes_,   &details_};
  }

  bool failed() const {
    for (const ByteReader *column : all())
      if (column->failed()) return true;
    return false;
  }

  void read_place(Event &event) {
    const bool placed = has_place(event.kind);
    if (placed) address_ += unzigzag(addresses_.varint());
    event.address = placed ? address_ : 0;
    event.size = placed ? sizes_.varint() : 0;
  }

  ByteReader kinds_, positions_, threads_, times_, contexts_, objects_, addresses_, sizes_,
      details_;
  uint64_t address_ = 0;
};

} // namespace

void EventEncoder::add(const Event &event) {
  const bool same_thread = event.thread == before_.thread && count() != 0;
  columns_.kinds.push_back(
      static_cast<uint8_t>(static_cast<uint8_t>(event.kind) | (same_thread ? kSameThread : 0)));
  put_varint(columns_.positions, event.position - before_.position);
  if (!same_thread) put_varint(columns_.threads, event.thread);
  put_varint(columns_.times, zigzag(event.time - before_.time));
  put_varint(columns_.contexts, event.context);
  if (names_object(event.kind)) put_varint(columns_.objects, next_object_ - event.object);
  if (event.kind == EventKind::allocate) ++next_object_;
  const uint64_t last_address = before_.address;
  before_ = event;
  before_.address = last_address;
  if (has_place(event.kind)) {
    put_varint(columns_.addresses, zigzag(event.address - last_address));
    put_varint(columns_.sizes, event.size);
    before_.address = event.address;
  }
  if (has_detail(event.kind))
    put_varint(columns_.details,
               has_other(event.kind) ? next_object_ - event.detail : event.detail);
}

EventColumns EventEncoder::finish(uint64_t next_object) {
  before_ = Event{};
  next_object_ = next_object;
  return std::exchange(columns_, EventColumns{});
}

bool decode_events(const EventColumns &columns, uint32_t count, uint32_t accesses,
                   const ChunkStart &start, std::vector<Event> &events) {
  EventDecoder decoder(columns);
  Event event;
  uint64_t next_object = start.object;
  events.clear();
  if (count > columns.kinds.size()) return false;
  events.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    if (!decoder.next(event, next_object) || event.position > accesses) return false;
    events.push_back(event);
    events.back().position += start.access;
  }
  return decoder.at_end();
}

} // namespace abut::trace
