// Numbers for keys: a new key gets the lowest number that is free.
#pragma once

#include "trace/hash_map.hpp"

#include <cstdint>
#include <vector>

namespace abut::sim {

// Spreads neighbouring keys over all 64 bits (the finaliser of MurmurHash3).
constexpr uint64_t scatter(uint64_t key) {
  key = (key ^ (key >> 33)) * 0xff51afd7ed558ccd;
  key = (key ^ (key >> 33)) * 0xc4ceb9fe1a85ec53;
  return key ^ (key >> 33);
}

class Numbering {
public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // The key's number, a new one where it has none. There are fewer than 2^32 - 1 keys.
  uint32_t number(uint64_t key) {
    const auto [found, fresh] = numbers_.try_emplace(key, kNone);
    if (fresh) found.value() = next();
    return found->second;
  }

  uint32_t find(uint64_t key) const {
    const auto found = numbers_.find(key);
    return found == numbers_.end() ? kNone : found->second;
  }

  // Forgets the key; its number is given to another one. The key is known.
  void erase(uint64_t key) {
    const auto found = numbers_.find(key);
    free_.push_back(found->second);
    numbers_.erase(found);
  }

  uint32_t count() const { return static_cast<uint32_t>(numbers_.size()); }
  // Above every number that was given.
  uint32_t end() const { return end_; }

private:
  uint32_t next() {
    if (free_.empty()) return end_++;
    const uint32_t number = free_.back();
    free_.pop_back();
    return number;
  }

  trace::NumberMap<uint32_t> numbers_;
  std::vector<uint32_t> free_;
  uint32_t end_ = 0;
};

} // namespace abut::sim
