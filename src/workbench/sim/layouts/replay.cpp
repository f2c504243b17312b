#include "sim/layouts/replay.hpp"

#include "trace/rows.hpp"

#include <algorithm>

namespace abut::sim {

using trace::Event;
using trace::EventKind;

Replay::Replay(trace::Reader &reader, Layout &layout, ReplayOptions options)
    : reader_(reader), layout_(layout), options_(std::move(options)) {
  const size_t end = options_.windows.empty() ? reader.chunks().size() : 0;
  batches_.emplace(reader, 0, end);
}

bool Replay::next() {
  addresses_.clear();
  sizes_.clear();
  kinds_.clear();
  threads_.clear();
  owners_.clear();
  codes_.clear();
  recorded_.clear();
  memory_events_.clear();
  if (options_.windows.empty()) return next_batch();
  while (chunk_ < reader_.chunks().size()) {
    const bool more = window_ < options_.windows.size();
    if (!in_window_ && (!more || chunk_ < options_.windows[window_].first)) {
      skip_chunk();
      return true;
    }
    const auto [from, to] = options_.windows[window_];
    if (!in_window_) {
      batches_.emplace(reader_, from, to);
      memory_events_.push_back({MemoryEvent::Kind::unrecorded});
    }
    in_window_ = next_batch();
    if (in_window_) return true;
    chunk_ = std::max(to, chunk_ + 1);
    ++window_;
  }
  return false;
}

void Replay::skip_chunk() {
  skipped_.clear();
  reader_.read_events(chunk_++, skipped_);
  events_ = skipped_;
  for (const Event &event : events_) take(event);
}

bool Replay::next_batch() {
  if (!batches_->next()) return false;
  events_ = batches_->events();
  // A trace has all of them, or zeros.
  has_codes_ = batches_->size() != 0 && batches_->codes()[0] != 0;
  batches_->in_order([this](uint32_t from, uint32_t to) { append(from, to); },
                     [this](const Event &event) { take(event); });
  return true;
}

void Replay::take(const Event &event) {
  layout_.take(event);
  follow(event);
  if (options_.owned_by != OwnedBy::context || event.kind != EventKind::allocate) return;
  if (!trace::grow_to(owner_of_object_, event.object)) return;
  if (event.context < options_.owner_of_context.size())
    owner_of_object_[event.object] = options_.owner_of_context[event.context];
}

// Blocks that are allocated while accesses are left out have the position of the next one that is not.
void Replay::follow(const Event &event) {
  using Change = MemoryEvent::Kind;
  if (gap_ && event.position > *gap_) {
    memory_events_.push_back({Change::unrecorded});
    gap_.reset();
  }
  switch (event.kind) {
  case EventKind::allocate:
  case EventKind::resize:
  case EventKind::move:
    memory_events_.push_back({Change::allocated, layout_.address_of(event.object, 0), event.size});
    break;
  case EventKind::discard:
    if (!options_.moved) memory_events_.push_back({Change::discarded, event.address, event.size});
    break;
  case EventKind::gap: gap_ = event.position; break;
  default: break;
  }
}

void Replay::append(uint32_t from, uint32_t to) {
  const auto objects = batches_->objects();
  const auto offsets = batches_->offsets();
  const auto kinds = batches_->kinds();
  const bool all = keeps_all();
  for (uint32_t i = from; i < to; ++i) {
    if (!all && !is_kept(i)) continue;
    const uint64_t address = layout_.address_of(objects[i], offsets[i]);
    addresses_.push_back(address);
    sizes_.push_back(batches_->sizes()[i]);
    kinds_.push_back(kinds[i]);
    threads_.push_back(batches_->threads()[i]);
    if (options_.moved) recorded_.push_back(layout_.recorded_address_of(objects[i], offsets[i]));
    if (has_codes_) codes_.push_back(batches_->codes()[i]);
    if (options_.owned_by != OwnedBy::none) owners_.push_back(owner_of(objects[i], address));
  }
}

bool Replay::keeps_all() const {
  return options_.side == Serves::all && options_.leave_out.empty() && !options_.join_modifies;
}

bool Replay::is_kept(uint32_t i) const {
  const Kind side = options_.side == Serves::allocator ? kAllocator : 0;
  if (options_.side != Serves::all && (batches_->kinds()[i] & kAllocator) != side) return false;
  const uint64_t code = batches_->codes()[i];
  for (const auto &[begin, end] : options_.leave_out)
    if (code >= begin && code < end) return false;
  return !options_.join_modifies || !writes_back(i);
}

// Whether the access before is the same instruction's read of the same bytes.
bool Replay::writes_back(uint32_t i) const {
  if (i == 0 || (batches_->kinds()[i] & kWrite) == 0) return false;
  const uint32_t before = i - 1;
  return (batches_->kinds()[before] & kWrite) == 0 &&
         batches_->codes()[i] == batches_->codes()[before] &&
         batches_->offsets()[i] == batches_->offsets()[before] &&
         batches_->objects()[i] == batches_->objects()[before] &&
         batches_->sizes()[i] == batches_->sizes()[before] &&
         batches_->threads()[i] == batches_->threads()[before];
}

Owner Replay::owner_of(uint64_t object, uint64_t address) {
  switch (options_.owned_by) {
  case OwnedBy::none: return 0;
  case OwnedBy::context: return object < owner_of_object_.size() ? owner_of_object_[object] : 0;
  // Counts are kept for each, so a number that was made up must not cost memory.
  case OwnedBy::object: return layout_.knows(object) ? static_cast<Owner>(object) : 0;
  case OwnedBy::page: return page_owner((address & kAddressMask) / kPageBytes);
  }
  return 0;
}

Owner Replay::page_owner(uint64_t page) {
  if (page == last_page_) return last_page_owner_;
  const auto [found, fresh] =
      page_numbers_.try_emplace(page, static_cast<Owner>(pages_.size() + 1));
  if (fresh) pages_.push_back(page);
  last_page_ = page;
  last_page_owner_ = found->second;
  return last_page_owner_;
}

References Replay::references() const {
  // They say how many accesses back.
  const bool has_sources = keeps_all() && addresses_.size() == batches_->size();
  return {addresses_, sizes_,
          kinds_,     threads_,
          owners_,    codes_,
          recorded_,  has_sources ? batches_->sources() : std::span<const uint8_t>()};
}

} // namespace abut::sim
