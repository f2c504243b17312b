// Huge blocks: each is a mapping of its own, which goes back to the kernel when it is freed.
#pragma once

#include "heap/geometry.hpp"

namespace abut::heap {

// `bytes` at a multiple of `align` (a power of two); all of it reads as zero. Null where memory is exhausted.
void *allocate_huge(size_t bytes, size_t align);

// What is known of the huge block that begins at `address`, in a slot of kind `huge`; null if none does.
struct HugeInfo;
HugeInfo *huge_block_at(Address address);

size_t usable_bytes(const HugeInfo *block);
void free_huge(HugeInfo *block);

// Makes the block hold `bytes`, where it lies or elsewhere, without copying; null where that is impossible.
void *resize_huge(HugeInfo *block, size_t bytes);

struct HugeTotals {
  size_t blocks;
  size_t bytes; // requested
};
HugeTotals huge_totals();

} // namespace abut::heap
