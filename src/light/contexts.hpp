// Who allocates, as a number that the collector has been told the meaning of.
#pragma once

#include "context/chain_table.hpp"

#include <cstdint>

namespace abut::light {

// The generation of the chain table in which each context was told; see tell().
extern std::atomic<uint16_t> told[context::ChainTable::kSlots];

// Tells the collector of the chain that ends in `frame`, and of the modules that it goes through.
void tell(context::Frame frame, const context::Entry *leaf);

// Before the lane is asked for the tick, which changes with what is told.
inline bool is_told(const context::Entry *leaf) {
  return told[leaf->id].load(std::memory_order_acquire) == context::chain_table.generation();
}

inline uint16_t context_of(context::Frame frame) {
  const context::Entry *leaf = context::chain_table.find(frame);
  if (!is_told(leaf)) [[unlikely]]
    tell(frame, leaf);
  return leaf->id;
}

// Around a fork: no other thread is in the midst of telling.
void lock_contexts();
void unlock_contexts();
// The collector of this process knows nothing yet.
void forget_contexts();

} // namespace abut::light
