// Huge blocks: each is a mapping of its own, which goes back to the kernel when, or soon after, it is freed.
#pragma once

#include "heap/geometry.hpp"

namespace abut::heap {

// What is known of a huge block, at the start of its mapping.
struct HugeInfo {
  void *mapping;
  size_t mapped;
  size_t reserved; // address space kept from `mapping` on
  Address block;
  size_t bytes; // requested; zero while the mapping is only kept
};

// `bytes` at a multiple of `align` (a power of two). `clean` tells whether the block reads as zero. Null where
// memory is exhausted.
void *allocate_huge(size_t bytes, size_t align, bool &clean);

// The huge block that begins at `address`, in a slot of kind `huge` or `tail`; null if none does.
HugeInfo *huge_block_at(Address address);

size_t usable_bytes(const HugeInfo *block);
void free_huge(HugeInfo *block);

// Gives the mapping of a block that is free back to the kernel.
void unmap_huge(HugeInfo *block);

// Makes the block hold `bytes`, where it lies or elsewhere, without copying; null where that is impossible, and the
// block is as it was.
void *resize_huge(HugeInfo *block, size_t bytes);

struct HugeTotals {
  size_t blocks;
  size_t bytes; // requested
};
HugeTotals huge_totals();

} // namespace abut::heap
