// A trace from begin to end, some thousands of accesses at a time.
#pragma once

#include "trace/format/access_decoder.hpp"
#include "trace/reader.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace abut::trace {

// Of `count` accesses from `first` on and the events among them: calls `on_accesses(from, to)` for those that come before each
// event, counted from `first`, and for the rest; in between, `on_event(event)`.
template <typename OnAccesses, typename OnEvent>
void in_order(uint64_t first, uint32_t count, std::span<const Event> events,
              const OnAccesses &on_accesses, const OnEvent &on_event) {
  uint32_t done = 0;
  const auto go_on = [&](uint64_t until) {
    const auto end = static_cast<uint32_t>(std::min<uint64_t>(until, count));
    if (end > done) on_accesses(std::exchange(done, end), end);
  };
  for (const Event &event : events) {
    go_on(event.position - std::min(event.position, first));
    on_event(event);
  }
  go_on(count);
}

class Batches {
public:
  // Of chunks [from, to) of the reader, which must outlive it.
  Batches(Reader &reader, size_t from, size_t to);
  explicit Batches(Reader &reader) : Batches(reader, 0, reader.chunks().size()) {}

  // Goes on to the next batch; false where there is none. Chunks that cannot be read are left out, and are then among
  // the reader's damages.
  bool next();

  // How many accesses the batch has. There may be none: then it has events.
  uint32_t size() const { return size_; }
  uint64_t first_access() const { return first_access_; }

  // What each access was; valid until the next batch.
  std::span<const uint64_t> objects() const { return {decoder_.objects(), size_}; }
  std::span<const uint64_t> offsets() const { return {decoder_.offsets(), size_}; }
  std::span<const uint32_t> sizes() const { return {decoder_.sizes(), size_}; }
  std::span<const uint8_t> kinds() const { return {decoder_.kinds(), size_}; }
  std::span<const uint32_t> threads() const { return {decoder_.threads(), size_}; }
  std::span<const uint64_t> codes() const { return {decoder_.codes(), size_}; }
  std::span<const uint8_t> sources() const { return {decoder_.sources(), size_}; }

  // The events that come before one of these accesses, or after the last one and before the next batch.
  // `position - first_access()` of them come before access 0, 1 ... of this batch.
  std::span<const Event> events() const { return events_of_batch_; }
  template <typename OnAccesses, typename OnEvent>
  void in_order(const OnAccesses &on_accesses, const OnEvent &on_event) const {
    trace::in_order(first_access_, size_, events_of_batch_, on_accesses, on_event);
  }

private:
  bool open_chunk();

  Reader &reader_;
  size_t chunk_number_;
  size_t end_;
  Chunk chunk_;
  AccessDecoder decoder_;
  std::vector<Event> events_;
  size_t events_done_ = 0;
  std::span<const Event> events_of_batch_;
  uint64_t first_access_ = 0;
  uint32_t size_ = 0;
  bool in_chunk_ = false;
};

} // namespace abut::trace
