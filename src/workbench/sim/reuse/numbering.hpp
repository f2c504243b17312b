// Numbers for keys: whoever comes first gets the lowest that is free. Open addressing with linear probing, so that a
// known key costs one cache line.
#pragma once

#include <cstddef>
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
    Entry *entry = place_of(key);
    if (entry->number != kNone) return entry->number;
    if (2 * (count_ + 1) > table_.size()) {
      grow();
      entry = place_of(key);
    }
    ++count_;
    *entry = {key, fresh()};
    return entry->number;
  }

  uint32_t find(uint64_t key) const { return table_[index_of(key)].number; }

  // Forgets the key; its number is given to another one. The key is known.
  void erase(uint64_t key) {
    size_t hole = index_of(key);
    free_.push_back(table_[hole].number);
    --count_;
    // Whoever was moved on because of this entry comes back, so that searches need not go over gaps.
    for (size_t next = after(hole); table_[next].number != kNone; next = after(next)) {
      const size_t home = home_of(table_[next].key);
      if (((next - home) & mask()) < ((next - hole) & mask())) continue;
      table_[hole] = table_[next];
      hole = next;
    }
    table_[hole].number = kNone;
  }

  uint32_t count() const { return count_; }
  // Above every number that was given.
  uint32_t end() const { return end_; }

private:
  struct Entry {
    uint64_t key = 0;
    uint32_t number = kNone;
  };

  size_t mask() const { return table_.size() - 1; }
  size_t after(size_t index) const { return (index + 1) & mask(); }
  size_t home_of(uint64_t key) const { return scatter(key) & mask(); }

  size_t index_of(uint64_t key) const {
    size_t index = home_of(key);
    while (table_[index].number != kNone && table_[index].key != key) index = after(index);
    return index;
  }
  Entry *place_of(uint64_t key) { return &table_[index_of(key)]; }

  uint32_t fresh() {
    if (free_.empty()) return end_++;
    const uint32_t number = free_.back();
    free_.pop_back();
    return number;
  }

  void grow() {
    std::vector<Entry> old(2 * table_.size());
    old.swap(table_);
    for (const Entry &entry : old)
      if (entry.number != kNone) *place_of(entry.key) = entry;
  }

  std::vector<Entry> table_ = std::vector<Entry>(1024);
  std::vector<uint32_t> free_;
  uint32_t count_ = 0;
  uint32_t end_ = 0;
};

} // namespace abut::sim
