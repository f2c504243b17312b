#include "heap/huge_blocks.hpp"

#include "heap/huge_cache.hpp"
#include "heap/huge_pages.hpp"
#include "heap/segment_map.hpp"

#include <algorithm>
#include <mutex>

namespace abut::heap {

os::SpinLock huge_mappings;

namespace {

// The mapping that was read last: to find where a long one begins takes a while. Under the lock.
Extent last_read;

// Blocks in a row begin at different lines of their page; the step is in lines.
std::atomic<uint32_t> colours{0};

std::atomic<size_t> blocks{0};
std::atomic<size_t> requested{0};

size_t next_offset() {
  return colours.fetch_add(5, std::memory_order_relaxed) % (kPageBytes / kLineBytes) * kLineBytes;
}

size_t mapped_for(const HugeInfo *info, size_t bytes) {
  return round_up(info->block - reinterpret_cast<Address>(info->mapping) + bytes, kPageBytes);
}

// A mapping became longer or shorter.
void count_change(size_t old_bytes, size_t new_bytes) {
  segment_map.count_mapped(static_cast<ptrdiff_t>(new_bytes) - static_cast<ptrdiff_t>(old_bytes));
  pages_taken.add(new_bytes / kPageBytes);
  pages_taken.subtract(old_bytes / kPageBytes);
}

void *begin_block(HugeInfo *info, size_t bytes) {
  info->bytes = bytes;
  blocks.fetch_add(1, std::memory_order_relaxed);
  requested.fetch_add(bytes, std::memory_order_relaxed);
  pages_taken.add(info->mapped / kPageBytes);
  return reinterpret_cast<void *>(info->block);
}

// A new mapping; null where memory is exhausted.
HugeInfo *map_huge(size_t bytes, size_t align) {
  std::lock_guard guard(huge_mappings);
  void *mapping = segment_map.map(bytes, bytes, align, SegmentKind::huge);
  if (mapping == nullptr) return nullptr;
  advise_huge_pages(mapping, bytes);
  auto *info = static_cast<HugeInfo *>(mapping);
  *info = {mapping, bytes, bytes, 0, 0};
  return info;
}

// A kept mapping made longer: the pages that it has need not be cleared again. Null if there is none.
void *lengthen_kept(size_t bytes) {
  HugeInfo *kept = huge_cache.take_shorter(bytes);
  if (kept == nullptr) return nullptr;
  const size_t old_bytes = kept->mapped;
  begin_block(kept, usable_bytes(kept));
  void *memory = resize_huge(kept, bytes);
  if (memory == nullptr) {
    free_huge(kept);
    return nullptr;
  }
  retention.took((round_up(bytes, kPageBytes) - std::min(old_bytes, bytes)) / kPageBytes,
                 Kept::mappings);
  return memory;
}

} // namespace

void *allocate_huge(size_t bytes, size_t align, bool &clean) {
  const bool aligned = align > kLineBytes;
  clean = false;
  if (!aligned) {
    if (HugeInfo *kept = huge_cache.take(bytes)) return begin_block(kept, bytes);
    if (void *memory = lengthen_kept(bytes)) return memory;
  }
  clean = true;
  const size_t lead = align >= kSegmentBytes ? kSegmentBytes : std::max(align, kPageBytes);
  const size_t offset = aligned ? 0 : next_offset();
  if (bytes > kRequestMax - lead - offset - align) return nullptr;
  const size_t mapped = round_up(lead + offset + bytes, kPageBytes);
  // For an alignment beyond a segment, the slot of the block is aligned, and the mapping begins a slot before it.
  const size_t slot_align = std::max(align, kSegmentBytes);
  const size_t pad = align > kSegmentBytes ? align - kSegmentBytes : 0;
  make_room(mapped / kPageBytes);
  HugeInfo *info = map_huge(mapped + pad, slot_align);
  if (info == nullptr) return nullptr;
  info->block = reinterpret_cast<Address>(info) + pad + lead + offset;
  retention.took(info->mapped / kPageBytes, Kept::mappings);
  return begin_block(info, bytes);
}

HugeInfo *huge_block_at(Address address) {
  auto *info = reinterpret_cast<HugeInfo *>(segment_map.first_of(address));
  return info->block == address && info->bytes != 0 ? info : nullptr;
}

size_t usable_bytes(const HugeInfo *block) {
  return reinterpret_cast<Address>(block->mapping) + block->mapped - block->block;
}

HugeTotals huge_totals() {
  return {blocks.load(std::memory_order_relaxed), requested.load(std::memory_order_relaxed)};
}

void free_huge(HugeInfo *block) {
  blocks.fetch_sub(1, std::memory_order_relaxed);
  requested.fetch_sub(block->bytes, std::memory_order_relaxed);
  block->bytes = 0;
  pages_taken.subtract(block->mapped / kPageBytes);
  if (!huge_cache.keep(block)) unmap_huge(block);
}

void unmap_huge(HugeInfo *block) {
  std::lock_guard guard(huge_mappings);
  last_read = {};
  segment_map.unmap(block->mapping, block->mapped, block->reserved);
}

namespace {

void *resized(HugeInfo *info, size_t mapped, size_t bytes) {
  count_change(info->mapped, mapped);
  requested.fetch_add(bytes - info->bytes, std::memory_order_relaxed); // modulo 2^64
  info->mapped = mapped;
  info->bytes = bytes;
  return reinterpret_cast<void *>(info->block);
}

// Half as much address space again, so that a block that goes on growing need not move each time.
size_t reserve_for(size_t mapped) { return round_up(mapped + mapped / 2, kSegmentBytes); }

bool resize_in_place(HugeInfo *block, size_t mapped) {
  if (mapped <= block->reserved) return os::resize_mapping(block->mapping, block->mapped, mapped);
  const size_t reserved = reserve_for(mapped);
  if (!segment_map.extend(block->mapping, block->reserved, reserved)) return false;
  block->reserved = reserved;
  return os::resize_mapping(block->mapping, block->mapped, mapped);
}

// The addresses are held before anything moves there: no other mapping is ever moved over.
void *move_huge(HugeInfo *block, size_t mapped, size_t bytes) {
  const HugeInfo old = *block;
  const size_t reserved = reserve_for(mapped);
  void *elsewhere = segment_map.claim(mapped, reserved, SegmentKind::huge);
  if (elsewhere == nullptr) return nullptr;
  if (!os::move_mapping(old.mapping, old.mapped, elsewhere, mapped)) {
    segment_map.release_claim(elsewhere, mapped, reserved);
    return nullptr;
  }
  segment_map.forget(old.mapping, old.reserved);
  const Address shift =
      reinterpret_cast<Address>(elsewhere) - reinterpret_cast<Address>(old.mapping);
  auto *info = static_cast<HugeInfo *>(elsewhere);
  *info = {elsewhere, old.mapped, reserved, old.block + shift, old.bytes};
  return resized(info, mapped, bytes);
}

} // namespace

void *resize_huge(HugeInfo *block, size_t bytes) {
  const size_t mapped = mapped_for(block, bytes);
  if (mapped > block->mapped) make_room((mapped - block->mapped) / kPageBytes);
  std::lock_guard guard(huge_mappings);
  last_read = {};
  if (resize_in_place(block, mapped)) return resized(block, mapped, bytes);
  return mapped > block->mapped ? move_huge(block, mapped, bytes) : nullptr;
}

bool is_huge(Address address) {
  const SegmentKind kind = segment_map.kind_at(address);
  return kind == SegmentKind::huge || kind == SegmentKind::tail;
}

namespace {

Extent mapping_around(Address address) {
  const Address first = segment_map.first_of(address);
  if (segment_map.kind_at(first) != SegmentKind::huge) return {};
  const auto *info = reinterpret_cast<const HugeInfo *>(first);
  return {first, first + info->mapped};
}

} // namespace

uint64_t read_huge(Address address) {
  if (!is_huge(address) || !huge_mappings.try_lock()) return 0;
  std::lock_guard guard(huge_mappings, std::adopt_lock);
  if (!last_read.holds(address)) last_read = is_huge(address) ? mapping_around(address) : Extent{};
  return last_read.holds(address + sizeof(uint64_t) - 1)
             ? *reinterpret_cast<const uint64_t *>(address)
             : 0;
}

} // namespace abut::heap
