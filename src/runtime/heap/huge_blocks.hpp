// Huge blocks: each is a mapping of its own, which goes back to the kernel when, or soon after, it is freed.
#pragma once

#include "heap/geometry.hpp"
#include "os/os.hpp"

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

// Whether an address is one of those that huge blocks have.
bool is_huge(Address address);

// Held while a mapping begins, becomes shorter or longer, moves or goes back to the kernel.
extern os::SpinLock huge_mappings;

// The word at `address`, whoever the block belongs to; zero if that is in no huge block, or if
// `huge_mappings` is held just now.
uint64_t read_huge(Address address);

struct HugeTotals {
  size_t blocks;
  size_t bytes; // requested
};
HugeTotals huge_totals();

} // namespace abut::heap
