// jemalloc's own calls beside malloc, which take flags. A program that is linked with jemalloc frees what it has from them by
// free(), and resizes by them what it has from malloc: such a program, as Redis 8 is, would mix two heaps if only malloc
// and its kin were replaced. What it asks of arenas and caches of threads has no effect.
#include "api/export.hpp"
#include "base/units.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <malloc.h>

using namespace abut;

namespace {

// As <jemalloc/jemalloc.h> has them: the alignment's logarithm, and whether the block is to read as zero.
constexpr int kAlignMask = 63;
constexpr int kZero = 64;
constexpr size_t kAlways = 8; // any block's alignment

size_t alignment_in(int flags) { return size_t{1} << (flags & kAlignMask); }

// All that the block holds: when it becomes longer, what lies beyond that is what reads as zero. A compiler that knew how much
// was asked for would take the rest to be beyond the block, and end the program.
void clear_from(void *memory, size_t begin) {
  __asm__("" : "+r"(memory));
  const size_t end = malloc_usable_size(memory);
  if (begin < end) std::memset(static_cast<char *>(memory) + begin, 0, end - begin);
}

// To where a plain realloc() might not leave it aligned.
void *move(void *memory, size_t bytes, size_t align) {
  void *moved = aligned_alloc(align, bytes);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, memory, std::min(bytes, malloc_usable_size(memory)));
  std::free(memory);
  return moved;
}

} // namespace

// The first call below is the last that a body makes, where it can be: then the caller is still known as such.
ABUT_EXPORT void *mallocx(size_t bytes, int flags) {
  const bool is_zero = (flags & kZero) != 0;
  const bool is_aligned = alignment_in(flags) <= kAlways;
  if (is_aligned && !is_zero) return std::malloc(bytes);
  void *memory = is_aligned ? std::calloc(1, bytes) : aligned_alloc(alignment_in(flags), bytes);
  if (memory != nullptr && is_zero) clear_from(memory, is_aligned ? bytes : 0);
  return memory;
}

ABUT_EXPORT void *rallocx(void *memory, size_t bytes, int flags) {
  const size_t before = malloc_usable_size(memory), align = alignment_in(flags);
  void *resized = align <= kAlways ? std::realloc(memory, std::max<size_t>(bytes, 1))
                                   : move(memory, bytes, align);
  if (resized != nullptr && (flags & kZero) != 0) clear_from(resized, before);
  return resized;
}

// What the block holds, where it lies: it is never made longer there.
ABUT_EXPORT size_t xallocx(void *memory, size_t, size_t, int) { return malloc_usable_size(memory); }

ABUT_EXPORT size_t sallocx(const void *memory, int) {
  return malloc_usable_size(const_cast<void *>(memory));
}

ABUT_EXPORT void dallocx(void *memory, int) { std::free(memory); }

ABUT_EXPORT void sdallocx(void *memory, size_t, int) { std::free(memory); }

// What a block of so many bytes holds at least: where blocks are checked, that is all.
ABUT_EXPORT size_t nallocx(size_t bytes, int) { return bytes; }
