// How many blocks of a size page are live, and the counts of frees by which the heap learns when that matters.
//
// Each page counts frees down, each of a long one those of the blocks that begin in it. At zero, whoever frees takes the slow
// path. Between the counts and the states, threads that free are under way, and some frees are never counted: a page goes back
// only when its states say that it is empty.
#pragma once

#include "heap/page.hpp"

#include <emmintrin.h>

namespace abut::heap {

// States are read so many at once, and there are as many times that of each page.
inline constexpr unsigned kStatesAtOnce = 64;
constexpr uint32_t whole_states(uint32_t blocks) {
  return (blocks + kStatesAtOnce - 1) / kStatesAtOnce * kStatesAtOnce;
}

// Which of 64 blocks are free, a bit each.
[[gnu::always_inline]] inline uint64_t free_blocks(const State *states) {
#if !defined(__SANITIZE_THREAD__)
  const auto *words = reinterpret_cast<const __m128i *>(states);
  uint64_t free = 0;
#pragma GCC unroll 4
  for (unsigned i = 0; i < 4; ++i) {
    const __m128i zero = _mm_setzero_si128();
    const __m128i is_free = _mm_cmpeq_epi8(_mm_loadu_si128(words + i), zero);
    const auto bits = static_cast<unsigned>(_mm_movemask_epi8(is_free));
    free |= uint64_t{bits} << (16 * i);
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  return free;
#else
  uint64_t free = 0;
  for (unsigned i = 0; i < kStatesAtOnce; ++i)
    free |= uint64_t{load_plainly(states[i]) == kNoBlock} << i;
  return free;
#endif
}

// By which page of a long one they begin in.
struct LiveBlocks {
  int32_t in_page[kLongPage] = {};
  int32_t total = 0;
};

// All that there are, but for so many of the first page.
LiveBlocks all_but(uint32_t freed, Page &page);
// By their states.
LiveBlocks counted(Page &page);
// By the counts of frees, more or less, where those leave some; else by the states.
LiveBlocks not_yet_freed(Page &page);

// The 4 KiB of a page, or of a long one, that have no part of a live block, a bit each.
uint64_t without_live(const Page &page);

// Has a page, or each of a long one, count so many frees.
void count_frees(Page &page, int32_t frees);
// Has it count until it is empty. Of a long one, until the one with most live blocks is: then the others may be, too.
void await_empty(Page &page, const LiveBlocks &live);
// Has it count until it, or one of its pages, has seen so many.
void await_room(Page &page, const LiveBlocks &live, int32_t frees);

} // namespace abut::heap
