#include "trace/batches.hpp"

#include <algorithm>

namespace abut::trace {

Batches::Batches(Reader &reader, size_t from, size_t to)
    : reader_(reader), chunk_number_(from), end_(std::min(to, reader.chunks().size())) {}

bool Batches::open_chunk() {
  const BlockHead &head = reader_.chunks()[chunk_number_].head;
  if (!reader_.read_chunk(chunk_number_, Reader::Part::all, chunk_)) return false;
  const ChunkStart start{head.first_access, head.first_event, head.first_object};
  if (!decode_events(chunk_.events, head.events, head.accesses, start, events_) ||
      !decoder_.begin(head.accesses, chunk_.accesses)) {
    reader_.record_damage(chunk_number_, "holds what cannot be");
    return false;
  }
  events_done_ = 0;
  first_access_ = head.first_access;
  return true;
}

bool Batches::next() {
  first_access_ += size_;
  size_ = 0;
  events_of_batch_ = {};
  while (chunk_number_ < end_) {
    if (!in_chunk_) {
      in_chunk_ = open_chunk();
      if (!in_chunk_) {
        ++chunk_number_;
        continue;
      }
    }
    size_ = decoder_.next(AccessDecoder::kBatch);
    if (decoder_.failed()) reader_.record_damage(chunk_number_, "holds accesses that cannot be");
    const bool last = decoder_.failed() || decoder_.left() == 0;
    const auto rest = std::span<const Event>(events_).subspan(events_done_);
    const uint64_t end = first_access_ + size_;
    const auto until =
        last ? rest.end() : std::find_if(rest.begin(), rest.end(), [end](const Event &event) {
          return event.position >= end;
        });
    events_of_batch_ = rest.first(static_cast<size_t>(until - rest.begin()));
    events_done_ += events_of_batch_.size();
    if (last) {
      in_chunk_ = false;
      ++chunk_number_;
    }
    if (size_ != 0 || !events_of_batch_.empty()) return true;
  }
  return false;
}

} // namespace abut::trace
