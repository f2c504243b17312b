// Which granules of a plan's memory are taken, and where blocks begin: two bits a granule, a word for 512 bytes.
//
// A place in a plan may be free or not when its turn comes, whatever the plan thought; so every taking is checked here.
// Threads may take and give back at the same time; a process of one thread pays for no atomic operation.
#pragma once

#include "os/one_thread.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

namespace abut::plan {

class TakenMap {
public:
  static constexpr uint32_t kInWord = 32; // granules
  static constexpr uint32_t kMost = 32;   // of a block
  static constexpr uint64_t kTaken =
      0x5555'5555'5555'5555; // the lower bit of each pair; the upper: a block begins

  static constexpr uint64_t words_for(uint64_t granules) {
    return (granules + kInWord - 1) / kInWord +
           1; // a word more, so that a block at the end has a next one
  }

  // `words` are zero, and stay.
  void open(uint64_t *words, uint64_t granules) {
    words_ = words;
    granules_ = granules;
  }

  enum class Taking : uint8_t { refused, done, first_in_word };

  // Takes `count` granules (1 to kMost) from `at` on, unless any of them is taken. The caller has made sure that they are
  // the map's. `alone`: there is one thread only.
  Taking take(uint64_t at, uint32_t count, bool alone) {
    const auto first = static_cast<uint32_t>(at % kInWord);
    uint64_t &word = words_[at / kInWord];
    const uint64_t begin = uint64_t{2} << (2 * first);
    if (first + count <= kInWord) [[likely]]
      return set(word, span(first, count), begin, alone);
    const uint32_t rest = first + count - kInWord;
    const Taking taking = set(word, span(first, kInWord - first), begin, alone);
    if (taking == Taking::refused) return taking;
    if (set((&word)[1], span(0, rest), 0, alone) != Taking::refused) return taking;
    clear(word, span(first, kInWord - first) | begin);
    return Taking::refused;
  }

  // The same where that is most quickly done: alone, and in one word; else false, which says nothing.
  bool take_at_once(uint64_t at, uint32_t count) {
    const auto first = static_cast<uint32_t>(at % kInWord);
    std::atomic_ref word(words_[at / kInWord]);
    const uint64_t now = word.load(std::memory_order_relaxed);
    const uint64_t bits = kBlocks[count] << (2 * first);
    if ((now & bits) != 0 || first + count > kInWord) [[unlikely]]
      return false;
    word.store(now | bits, std::memory_order_relaxed);
    return true;
  }

  // The granules of the block that begins at `at`; zero if none does.
  uint32_t length_at(uint64_t at) const {
    if (at >= granules_) return 0;
    const auto first = static_cast<uint32_t>(at % kInWord);
    const uint64_t *word = &words_[at / kInWord];
    const uint64_t here = load(*word) >> (2 * first);
    if ((here & 3) != 3) return 0;
    const uint32_t length = 1 + continuing(here >> 2, kInWord - first - 1);
    if (first + length < kInWord) return length;
    return length + continuing(load(word[1]), kInWord);
  }

  // Gives the block back; its granules, or zero if none begins there.
  uint32_t give_back(uint64_t at) {
    const uint32_t count = length_at(at);
    if (count == 0) return 0;
    const auto first = static_cast<uint32_t>(at % kInWord);
    uint64_t &word = words_[at / kInWord];
    const uint64_t begin = uint64_t{2} << (2 * first);
    if (first + count > kInWord) {
      clear((&word)[1], span(0, first + count - kInWord));
      clear(word, span(first, kInWord - first) | begin);
    } else {
      clear(word, span(first, count) | begin);
    }
    return count;
  }

private:
  // A block of so many granules at the begin of a word.
  static constexpr std::array<uint64_t, kMost + 1> kBlocks = [] {
    std::array<uint64_t, kMost + 1> blocks{};
    for (uint32_t count = 1; count <= kMost; ++count)
      blocks[count] = kTaken >> (2 * (kInWord - count)) | 2;
    return blocks;
  }();

  static constexpr uint64_t span(uint32_t first, uint32_t count) {
    return (kTaken >> (2 * (kInWord - count))) << (2 * first);
  }

  // How many of the next `most` granules are taken and go on with the block before.
  static uint32_t continuing(uint64_t pairs, uint32_t most) {
    const uint64_t other = pairs ^ kTaken;
    const uint64_t stops = (other | other >> 1) & kTaken;
    const auto run = static_cast<uint32_t>(std::countr_zero(stops)) / 2;
    return run < most ? run : most;
  }

  static uint64_t load(const uint64_t &word) {
    return std::atomic_ref(const_cast<uint64_t &>(word)).load(std::memory_order_relaxed);
  }

  static Taking set(uint64_t &word, uint64_t taken, uint64_t begin, bool alone) {
    std::atomic_ref shared(word);
    uint64_t now = shared.load(std::memory_order_relaxed);
    if (alone) {
      if ((now & taken) != 0) return Taking::refused;
      shared.store(now | taken | begin, std::memory_order_relaxed);
    } else {
      do {
        if ((now & taken) != 0) return Taking::refused;
      } while (!shared.compare_exchange_weak(now, now | taken | begin, std::memory_order_acq_rel));
    }
    return now == 0 ? Taking::first_in_word : Taking::done;
  }

  static void clear(uint64_t &word, uint64_t bits) {
    std::atomic_ref shared(word);
    if (os::has_one_thread())
      shared.store(shared.load(std::memory_order_relaxed) & ~bits, std::memory_order_relaxed);
    else
      shared.fetch_and(~bits, std::memory_order_acq_rel);
  }

  uint64_t *words_ = nullptr;
  uint64_t granules_ = 0;
};

} // namespace abut::plan
