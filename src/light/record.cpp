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

void *allocated_waiting(void *memory, size_t bytes, Frame frame) {
  if (memory == nullptr || !ring::is_recording()) return memory;
  const uint16_t context = context_of(frame);
  if (bytes >> ring::Birth::kLowBits != 0 || !ring::lane.is_ready())
    put_birth(Kind::allocate, memory, bytes, 0, context);
  else
    ring::lane.put_ready(event(Kind::allocate, context | bytes << 16), address_of(memory));
  return memory;
}

void *allocated(void *memory, size_t bytes, size_t align, Frame frame) {
  if (memory == nullptr || !ring::is_recording()) return memory;
  order();
  if (align == 0) return allocated_waiting(memory, bytes, frame);
  put_birth(Kind::allocate, memory, bytes, align, context_of(frame));
  return memory;
}

void freed(const void *memory) {
  if (memory == nullptr || !ring::is_recording()) return;
  const ring::Word word = event(Kind::free, address_of(memory));
  if (ring::lane.is_ready()) return ring::lane.put_ready(word);
  put(word);
}

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
