// What the GNU C library offers beside malloc: trimming, tuning and statistics, as far as they make sense here.
#include "api/export.hpp"
#include "api/statistics_file.hpp"
#include "heap/heap.hpp"
#include "heap/statistics.hpp"
#include "os/uncancelled.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <malloc.h>

using namespace abut;

namespace {

struct mallinfo2 info() {
  const heap::Statistics totals = heap::count();
  struct mallinfo2 result {};
  result.arena = totals.mapped - std::min(totals.mapped, totals.huge_bytes);
  result.hblks = totals.huge_blocks;
  result.hblkhd = totals.huge_bytes;
  result.uordblks = totals.live_bytes() - totals.huge_bytes;
  result.fordblks = result.arena - std::min(result.arena, result.uordblks);
  result.keepcost = totals.free_resident;
  return result;
}

int clamp(size_t value) { return static_cast<int>(std::min<size_t>(value, INT_MAX)); }

} // namespace

ABUT_EXPORT int malloc_trim(size_t) { return heap::trim() != 0; }

// Nothing can be tuned this way, but a program that tries need not fail: the parameters that the GNU C library
// knows are accepted.
ABUT_EXPORT int mallopt(int parameter, int) {
  return parameter == M_MXFAST || (parameter <= M_TRIM_THRESHOLD && parameter >= M_ARENA_MAX);
}

ABUT_EXPORT struct mallinfo2 mallinfo2(void) { return info(); }

ABUT_EXPORT struct mallinfo mallinfo(void) {
  const struct mallinfo2 wide = info();
  struct mallinfo result {};
  result.arena = clamp(wide.arena);
  result.hblks = clamp(wide.hblks);
  result.hblkhd = clamp(wide.hblkhd);
  result.uordblks = clamp(wide.uordblks);
  result.fordblks = clamp(wide.fordblks);
  result.keepcost = clamp(wide.keepcost);
  return result;
}

ABUT_EXPORT int malloc_info(int options, FILE *stream) {
  if (options != 0) return EINVAL;
  const os::Uncancelled until_return;
  const heap::Statistics totals = heap::count();
  std::fprintf(stream, "<malloc version=\"abut-1\">\n<sizes>\n");
  for (const heap::ClassCount &one : totals.classes)
    if (one.blocks != 0)
      std::fprintf(stream, "<size bytes=\"%zu\" blocks=\"%zu\"/>\n", one.bytes_each, one.blocks);
  std::fprintf(stream, "</sizes>\n<total type=\"mmap\" count=\"%zu\" size=\"%zu\"/>\n",
               totals.huge_blocks, totals.huge_bytes);
  std::fprintf(stream,
               "<system type=\"current\" size=\"%zu\"/>\n<system type=\"max\" size=\"%zu\"/>\n",
               totals.mapped, totals.peak);
  std::fprintf(stream, "</malloc>\n");
  return 0;
}

ABUT_EXPORT void malloc_stats(void) { entry::write_statistics(2); }
