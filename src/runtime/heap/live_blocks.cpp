#include "heap/live_blocks.hpp"

#include <algorithm>
#include <span>

namespace abut::heap {
namespace {

// How many of 64 blocks are live.
inline uint32_t count_live(const State *states) {
#if !defined(__SANITIZE_THREAD__)
  const auto *words = reinterpret_cast<const __m128i *>(states);
  const __m128i zero = _mm_setzero_si128();
  __m128i live = zero;
#pragma GCC unroll 4
  for (unsigned i = 0; i < 4; ++i)
    live = _mm_sub_epi8(live, _mm_cmpeq_epi8(_mm_loadu_si128(words + i), _mm_set1_epi8(kLive)));
  std::atomic_thread_fence(std::memory_order_acquire); // whoever freed the others is done with them
  const __m128i halves = _mm_sad_epu8(live, zero);
  return static_cast<uint32_t>(_mm_cvtsi128_si32(halves) + _mm_extract_epi16(halves, 4));
#else
  uint32_t live = 0;
  for (unsigned i = 0; i < kStatesAtOnce; ++i) live += load_plainly(states[i]) == kLive;
  return live;
#endif
}

// How many of the blocks from `first` on are live.
uint32_t live_among(const Page &page, uint32_t first, uint32_t end) {
  if (end == page.blocks()) end = whole_states(end); // behind the last none is
  uint32_t live = 0;
  for (; first + kStatesAtOnce <= end; first += kStatesAtOnce)
    live += count_live(page.states + first);
  for (; first < end; ++first) live += load_plainly(page.states[first]) == kLive;
  return live;
}

// Whether all states are those of free blocks, or of none: many at once.
inline bool is_empty(const Page &page) {
  const State *end = page.states + whole_states(page.blocks());
#if !defined(__SANITIZE_THREAD__)
  __m128i all = _mm_setzero_si128();
  for (const State *states = page.states; states != end; states += kStatesAtOnce) {
    const auto *words = reinterpret_cast<const __m128i *>(states);
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; ++i) all = _mm_or_si128(all, _mm_load_si128(words + i));
  }
  std::atomic_thread_fence(std::memory_order_acquire); // whoever freed them is done with them
  return _mm_movemask_epi8(_mm_slli_epi16(all, 7)) == 0;
#else
  return std::ranges::none_of(std::span(page.states, end),
                              [](const State &state) { return load_plainly(state) == kLive; });
#endif
}
static_assert(kLive % 2 == 1 && kNoBlock % 2 == 0 && kNoPlace % 2 == 0);

// What `live_in(page, first, end)` says of the blocks that begin in a page, or each of a long one.
template <class LiveIn>
LiveBlocks sum_over(Page &page, LiveIn live_in) {
  LiveBlocks live;
  for (uint32_t i = 0; i < page.pages(); ++i)
    live.total += live.in_page[i] = live_in((&page)[i], page.first_in(i), page.first_in(i + 1));
  return live;
}

// Has a page count frees down from so many.
void count_down(Page &page, int32_t live, int32_t frees) {
  page.live_then = live - frees;
  std::atomic_ref(page.frees_left).store(frees, std::memory_order_relaxed);
}

} // namespace

LiveBlocks all_but(uint32_t freed, Page &page) {
  return sum_over(page, [freed](Page &, uint32_t first, uint32_t end) {
    return static_cast<int32_t>(end - first - freed);
  });
}

LiveBlocks counted(Page &page) {
  return sum_over(page, [&page](Page &, uint32_t first, uint32_t end) {
    return static_cast<int32_t>(live_among(page, first, end));
  });
}

LiveBlocks not_yet_freed(Page &page) {
  const LiveBlocks live = sum_over(page, [](Page &one, uint32_t, uint32_t) {
    return one.live_then + load_plainly(one.frees_left);
  });
  if (live.total > 0) return live;
  return is_empty(page) ? LiveBlocks{} : counted(page);
}

uint64_t without_live(const Page &page) {
  const uint32_t bytes = page.block_bytes();
  uint64_t live = 0;
  for (uint32_t at = 0; at < page.blocks(); at += kStatesAtOnce) {
    const uint32_t count = std::min(page.blocks() - at, kStatesAtOnce);
    uint64_t in_use = ~free_blocks(page.states + at) & ~uint64_t{0} >> (kStatesAtOnce - count);
    for (; in_use != 0; in_use &= in_use - 1) {
      const uint32_t begin = (at + static_cast<uint32_t>(std::countr_zero(in_use))) * bytes;
      const uint32_t last = (begin + bytes - 1) >> kPageShift;
      live |= ~uint64_t{0} << (begin >> kPageShift) & ~uint64_t{0} >> (63 - last);
    }
  }
  return ~live;
}
static_assert(kLongPage * kBlockPageBytes / kPageBytes == 64);

void count_frees(Page &page, int32_t frees) {
  for (uint32_t i = 0; i < page.pages(); ++i)
    std::atomic_ref((&page)[i].frees_left).store(frees, std::memory_order_relaxed);
}

void await_empty(Page &page, const LiveBlocks &live) {
  uint32_t most = 0;
  for (uint32_t i = 1; i < page.pages(); ++i)
    if (live.in_page[i] >= live.in_page[most]) most = i;
  for (uint32_t i = 0; i < page.pages(); ++i)
    count_down((&page)[i], live.in_page[i], i == most ? live.in_page[i] : kNever);
}

void await_room(Page &page, const LiveBlocks &live, int32_t frees) {
  for (uint32_t i = 0; i < page.pages(); ++i) count_down((&page)[i], live.in_page[i], frees);
}

} // namespace abut::heap
