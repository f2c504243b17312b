// Which pages of a segment hold blocks: one bit where each block begins, one where it ends. A granule here is a page.
//
// Two bits a granule tell everything that a header would: whether an address is the start of a block, how
// long the block is, and where the holes are (neighbouring holes are one hole: coalescing costs nothing).
//
// One thread at a time writes a map. Others may read the bits of a block that they hold: those do not change
// while it is live, whatever happens to the bits beside them in the same word. Hence relaxed atomic words.
#pragma once

#include "base/bits.hpp"

#include <atomic>

namespace abut {

template <uint32_t N>
class BlockMap {
  static_assert(N % 64 == 0);
  static constexpr uint32_t kWords = N / 64;

public:
  static constexpr uint32_t kGranules = N;

  bool begins_at(uint32_t at) const { return (load(begin_[at >> 6]) >> (at & 63)) & 1; }

  // The length of the block that begins at `at`.
  uint32_t length_at(uint32_t at) const {
    uint32_t index = at >> 6;
    uint64_t word = load(end_[index]) >> (at & 63);
    if (word != 0) [[likely]]
      return static_cast<uint32_t>(std::countr_zero(word)) + 1;
    do {
      if (++index == kWords) return 0; // no block begins at `at`
      word = load(end_[index]);
    } while (word == 0);
    return (index << 6) + static_cast<uint32_t>(std::countr_zero(word)) + 1 - at;
  }

  void add(Range block) {
    set(begin_, block.first);
    set(end_, block.end() - 1);
  }

  void remove(Range block) {
    clear(begin_, block.first);
    clear(end_, block.end() - 1);
  }

  // The block keeps its beginning and gets another length.
  void resize(Range block, uint32_t count) {
    clear(end_, block.end() - 1);
    set(end_, block.first + count - 1);
  }

  // Whether no block covers granule `at`. Only for the thread that writes the map, as is what follows.
  bool is_free(uint32_t at) const {
    return !begins_at(at) && after_last_bit(end_, at) >= after_last_bit(begin_, at);
  }

  // The hole that granule `at`, which no block covers, is part of.
  Range hole_at(uint32_t at) const {
    const uint32_t first = after_last_bit(end_, at);
    return {first, next_bit<true>(begin_, N, at) - first};
  }

  bool empty() const {
    uint64_t any = 0;
    for (const uint64_t &word : begin_) any |= load(word);
    return any == 0;
  }

  uint32_t blocks() const {
    uint32_t total = 0;
    for (const uint64_t &word : begin_) total += static_cast<uint32_t>(std::popcount(load(word)));
    return total;
  }

  // The granules that blocks cover, as a bit set to search for holes in. Inside one word the set of
  // intervals [b, e] is the difference of their ends' successors and their beginnings, as numbers.
  struct Cover {
    uint64_t words[kWords];

    Range next_hole(uint32_t from) const { return next_zero_run(words, N, from); }

    // The first hole at or after `from` that takes `count` at a multiple of `align`.
    Range first_fit(uint32_t from, uint32_t count, uint32_t align = 1) const {
      for (Range hole = next_hole(from); hole; hole = next_hole(hole.end()))
        if (fit_in(hole, count, align)) return hole;
      return {};
    }

    // The smallest hole that takes `count` at a multiple of `align`; `largest` gets the longest hole seen.
    Range best_fit(uint32_t from, uint32_t count, uint32_t align, uint32_t &largest) const {
      Range best{};
      largest = 0;
      for (Range hole = next_hole(from); hole; hole = next_hole(hole.end())) {
        if (hole.count > largest) largest = hole.count;
        if ((!best || hole.count < best.count) && fit_in(hole, count, align)) best = hole;
      }
      return best;
    }

    uint32_t free_granules() const {
      uint32_t covered = 0;
      for (uint64_t word : words) covered += static_cast<uint32_t>(std::popcount(word));
      return N - covered;
    }
  };

  Cover cover() const {
    Cover result;
    bool inside = false;
    for (uint32_t i = 0; i < kWords; ++i) {
      const uint64_t begins = load(begin_[i]) | (inside ? 1 : 0);
      const uint64_t ends = load(end_[i]);
      result.words[i] = (ends << 1) - begins;
      inside = (begins & ~ends) > ends; // the highest bit is a begin without its end
    }
    return result;
  }

  // Calls `visit(Range)` for every block, in order of address.
  template <class Visit>
  void each_block(Visit visit) const {
    uint64_t begins[kWords];
    for (uint32_t i = 0; i < kWords; ++i) begins[i] = load(begin_[i]);
    for (uint32_t at = next_bit<true>(begins, N, 0); at < N; at = next_bit<true>(begins, N, at + 1))
      visit(Range{at, length_at(at)});
  }

  // Every begin is followed by its end before the next begin.
  bool valid() const {
    bool inside = false;
    for (uint32_t at = 0; at < N; ++at) {
      if (begins_at(at)) {
        if (inside) return false;
        inside = true;
      }
      if ((load(end_[at >> 6]) >> (at & 63)) & 1) {
        if (!inside) return false;
        inside = false;
      }
    }
    return !inside;
  }

private:
  static uint64_t load(const uint64_t &word) {
    return std::atomic_ref<uint64_t>(const_cast<uint64_t &>(word)).load(std::memory_order_relaxed);
  }
  static void store(uint64_t &word, uint64_t value) {
    std::atomic_ref<uint64_t>(word).store(value, std::memory_order_relaxed);
  }
  static void set(uint64_t *words, uint32_t at) {
    store(words[at >> 6], load(words[at >> 6]) | (uint64_t{1} << (at & 63)));
  }
  static void clear(uint64_t *words, uint32_t at) {
    store(words[at >> 6], load(words[at >> 6]) & ~(uint64_t{1} << (at & 63)));
  }

  uint64_t begin_[kWords];
  uint64_t end_[kWords];
};

} // namespace abut
