#include "light/record.hpp"

namespace abut::light {

using ring::Kind;

namespace {

ring::Word address_of(const void *memory) { return reinterpret_cast<Address>(memory); }

void put(ring::Word first) {
  if (!ring::is_recording() || !ring::lane.begin()) return;
  ring::lane.put(first);
  end_event();
}

void put(ring::Word first, ring::Word second) {
  if (!ring::is_recording() || !ring::lane.begin()) return;
  ring::lane.put(first, second);
  end_event();
}

} // namespace

void *allocated_slow(void *memory, size_t bytes, size_t align, Frame frame) {
  const uint16_t context = context_of(frame);
  if (!ring::lane.is_ready()) {
    put_birth(Kind::allocate, memory, bytes, align, context);
    return memory;
  }
  const ring::Birth birth{context, address_of(memory), bytes,
                          static_cast<unsigned>(std::bit_width(align))};
  ring::lane.put_ready(birth.first(Kind::allocate), birth.second());
  return memory;
}

void freed_slow(const void *memory) { put(event(Kind::free, address_of(memory))); }

void resizing(const void *memory) { put(event(Kind::resize, address_of(memory))); }

void resized(const void *memory, size_t bytes, Frame frame) {
  if (memory == nullptr)
    put(event(Kind::stayed, 0));
  else if (ring::is_recording())
    put_birth(Kind::resized, memory, bytes, 0, context_of(frame));
}

void hinted_near(const void *memory, const void *other) {
  put(event(Kind::near, address_of(memory)), address_of(other));
}

void hinted_touch(const void *memory, unsigned weight) {
  put(event(Kind::touch, address_of(memory)), weight);
}

} // namespace abut::light
