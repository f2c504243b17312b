// How many blocks of a size page are live, and the counts of frees by which the heap learns when that matters.
//
// Each page counts frees down, each of a long one those of the blocks that begin in it. At zero, whoever frees takes the slow
// path. Between the counts and the states, threads that free are under way, and some frees are never counted: a page goes back
// only when its states say that it is empty.
#pragma once

#include "heap/page.hpp"

namespace abut::heap {

// States are read so many at once, and there are as many times that of each page.
inline constexpr unsigned kStatesAtOnce = 64;
constexpr uint32_t whole_states(uint32_t blocks) {
  return (blocks + kStatesAtOnce - 1) / kStatesAtOnce * kStatesAtOnce;
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
