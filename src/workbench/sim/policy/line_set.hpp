// A set of line numbers that only grows: a bit a line, in words of 64 lines that a hash table finds. It takes 32 bytes
// at the most for each 64 lines that were touched, however many references there were.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace abut::sim {

class LineSet {
public:
  // Whether it is new.
  bool add(uint64_t line) {
    Word &word = find(line / 64);
    const uint64_t bit = uint64_t{1} << line % 64;
    if ((word.lines & bit) != 0) return false;
    word.lines |= bit;
    ++count_;
    return true;
  }

  uint64_t count() const { return count_; }

private:
  static constexpr uint64_t kEmpty = ~uint64_t{0};
  struct Word {
    uint64_t number = kEmpty;
    uint64_t lines = 0;
  };

  Word &find(uint64_t number) {
    if (2 * (used_ + 1) > words_.size()) grow();
    Word &word = cell_of(number);
    if (word.number == kEmpty) {
      word.number = number;
      ++used_;
    }
    return word;
  }

  Word &cell_of(uint64_t number) {
    const int shift = 64 - std::countr_zero(words_.size());
    uint64_t at = (number * 0x9e3779b97f4a7c15U) >> shift;
    while (words_[at].number != number && words_[at].number != kEmpty)
      at = (at + 1) & (words_.size() - 1);
    return words_[at];
  }

  void grow() {
    std::vector<Word> old(2 * words_.size());
    old.swap(words_);
    for (const Word &word : old)
      if (word.number != kEmpty) cell_of(word.number) = word;
  }

  std::vector<Word> words_ = std::vector<Word>(1024);
  uint64_t used_ = 0;
  uint64_t count_ = 0;
};

} // namespace abut::sim
