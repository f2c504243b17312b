#include "allocators/offload/shared_range.hpp"

#include "allocators/layers/areas.hpp"

#include <cstring>

namespace abut::offload {

constinit SharedRange shared_range;

namespace {

// Of both halves; less until the system agrees.
constexpr size_t kMost = 128 * GiB;
constexpr size_t kLeast = 2 * GiB;
constexpr size_t kTables = 256 * MiB; // more than the tables take

// Which addresses are mappings; each has slots of its own (segment_map.hpp).
constinit heap::SegmentMap mappings;

} // namespace

bool SharedRange::open() {
  size_t bytes = kMost;
  void *memory = nullptr;
  for (; memory == nullptr && bytes >= kLeast; bytes /= 2) {
    file_ = create_shared_file(bytes + kTables);
    // A segment more, so that it can begin at a multiple of one.
    if (file_) memory = map_shared(file_, 0, nullptr, bytes + layers::kAreaBytes);
    if (file_ && memory == nullptr) os::close_file(file_.descriptor);
  }
  if (memory == nullptr) return false;
  bytes *= 2;
  used_ = 0;
  parts_[used_++] = {memory, bytes + layers::kAreaBytes, 0};
  begin_ = round_up(reinterpret_cast<Address>(memory), layers::kAreaBytes);
  half_ = bytes / 2;
  if (!share(layers::area_map) || !share(mappings)) {
    make_private(0);
    return false;
  }
  layers::area_map.begin_at(begin_);
  mappings.begin_at(begin_ + half_);
  static constexpr os::MemorySource kSource = {map, unmap, discard};
  os::use_memory_source(&kSource);
  return true;
}

bool SharedRange::share(void *memory, size_t bytes) {
  const Part &last = parts_[used_ - 1];
  const Part part = {memory, bytes, last.offset + last.bytes};
  if (used_ == kParts || map_shared(file_, part.offset, memory, bytes) == nullptr) return false;
  parts_[used_++] = part;
  return true;
}

bool SharedRange::make_private(uint32_t server) {
  for (unsigned i = 0; i < used_; ++i)
    if (!offload::make_private(file_, server, parts_[i].offset, parts_[i].memory, parts_[i].bytes))
      return false;
  is_private_ = true;
  return true;
}

bool SharedRange::holds(const void *memory) const {
  return reinterpret_cast<Address>(memory) - begin_ < 2 * half_;
}

bool SharedRange::is_mapping(const void *memory) const {
  return holds(memory) && reinterpret_cast<Address>(memory) - begin_ >= half_;
}

// With a hint it is an area, whose place is taken already.
void *SharedRange::map(void *hint, size_t bytes) {
  const SharedRange &self = shared_range;
  const Address end = self.begin_ + (hint != nullptr ? 1 : 2) * self.half_;
  void *memory = hint;
  if (memory == nullptr && bytes <= self.half_)
    memory = mappings.claim_slots(bytes, heap::SegmentKind::huge);
  if (memory == nullptr) return nullptr;
  const auto address = reinterpret_cast<Address>(memory);
  if (self.holds(memory) && address < end && bytes <= end - address) return memory;
  if (hint == nullptr) mappings.forget(memory, bytes);
  return nullptr;
}

bool SharedRange::unmap(void *memory, size_t bytes) {
  if (!discard(memory, bytes)) return false;
  if (shared_range.is_mapping(memory)) mappings.forget(memory, bytes);
  return true;
}

bool SharedRange::discard(void *memory, size_t bytes) {
  if (!shared_range.holds(memory)) return false;
  const bool gone =
      shared_range.is_private_ ? discard_private(memory, bytes) : discard_shared(memory, bytes);
  if (!gone) std::memset(memory, 0, bytes); // locked memory, for instance
  return true;
}

} // namespace abut::offload
