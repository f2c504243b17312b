#include "sim/reuse/recency.hpp"

#include <algorithm>

namespace abut::sim {

Recency::Recency()
    : used_(kWords), tree_(1), owner_(size_t{1} << kLeafShift, kNowhere), slot_of_(1024, kNowhere) {
}

// ---- counting ----

// The bits of the slot's leaf up to it, itself included.
uint32_t Recency::in_leaf_through(uint32_t slot) const {
  const uint64_t *words = used_.data() + size_t{slot >> kLeafShift} * kWords;
  const uint32_t last = (slot >> 6) % kWords;
  int bits = std::popcount(words[last] << (63 - slot % 64));
  for (uint32_t word = 0; word < last; ++word) bits += std::popcount(words[word]);
  return static_cast<uint32_t>(bits);
}

uint32_t Recency::in_leaves_before(uint32_t leaf) const {
  uint32_t sum = 0;
  for (; leaf != 0; leaf &= leaf - 1) sum += tree_[leaf - 1];
  return sum;
}

// Differences of unsigned numbers wrap around, and so do the sums.
void Recency::add(uint32_t leaf, uint32_t difference) {
  const auto end = static_cast<uint32_t>(tree_.size());
  for (uint32_t node = leaf + 1; node <= end; node += node & (~node + 1))
    tree_[node - 1] += difference;
}

uint32_t Recency::above(uint32_t item) const {
  const uint32_t slot = slot_of_[item];
  return count_ - in_leaves_before(slot >> kLeafShift) - in_leaf_through(slot);
}

// ---- changing ----

void Recency::push(uint32_t item) {
  if (next_ == owner_.size()) make_room();
  if (item >= slot_of_.size())
    slot_of_.resize(std::max(size_t{item} + 1, 2 * slot_of_.size()), kNowhere);
  const uint32_t slot = next_++;
  used_[slot >> 6] |= uint64_t{1} << (slot % 64);
  owner_[slot] = item;
  slot_of_[item] = slot;
  ++count_;
  // No item stands behind the leaf that is being filled, so that the tree may learn of it when it is full.
  const uint32_t leaf = slot >> kLeafShift;
  if (next_ % (1U << kLeafShift) == 0) add(leaf, in_leaf_through(slot));
}

void Recency::remove(uint32_t item) {
  const uint32_t slot = slot_of_[item];
  used_[slot >> 6] &= ~(uint64_t{1} << (slot % 64));
  slot_of_[item] = kNowhere;
  --count_;
  const uint32_t leaf = slot >> kLeafShift;
  if (leaf != next_ >> kLeafShift) add(leaf, ~uint32_t{0});
}

void Recency::replace(uint32_t item, uint32_t by) {
  const uint32_t slot = slot_of_[item];
  if (by >= slot_of_.size())
    slot_of_.resize(std::max(size_t{by} + 1, 2 * slot_of_.size()), kNowhere);
  slot_of_[item] = kNowhere;
  slot_of_[by] = slot;
  owner_[slot] = by;
}

// ---- running out of time ----

// Moves the slots together; where they fill more than half, there will be twice as many.
void Recency::make_room() {
  uint32_t to = 0;
  for (uint32_t word = 0; word < used_.size(); ++word)
    for (uint64_t bits = used_[word]; bits != 0; bits &= bits - 1) {
      const uint32_t item = owner_[word * 64 + static_cast<uint32_t>(std::countr_zero(bits))];
      owner_[to] = item;
      slot_of_[item] = to++;
    }
  next_ = to;
  if (size_t{2} * count_ > owner_.size()) owner_.resize(2 * owner_.size(), kNowhere);
  rebuild();
}

void Recency::rebuild() {
  used_.assign(owner_.size() / 64, 0);
  std::fill_n(used_.begin(), next_ / 64, ~uint64_t{0});
  if (next_ % 64 != 0) used_[next_ / 64] = (uint64_t{1} << (next_ % 64)) - 1;
  tree_.assign(leaves(), 0);
  for (uint32_t leaf = 0; leaf < next_ >> kLeafShift; ++leaf) add(leaf, 1U << kLeafShift);
}

} // namespace abut::sim
