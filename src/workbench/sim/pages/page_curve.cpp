#include "sim/pages/page_curve.hpp"

#include "sim/pages/page_lru.hpp"
#include "trace/rows.hpp"

#include <algorithm>

namespace abut::sim {

PageCurve page_curve(std::span<const PageStep> steps, std::span<const uint64_t> pages,
                     std::span<const uint32_t> memories, SwapReadAhead ahead) {
  PageCurve curve;
  curve.prefetch.resize(memories.size());
  std::vector<SwapPrefetch> disks(memories.size(), SwapPrefetch(ahead));
  PageLru queue;
  for (const PageStep step : steps) {
    if (step.is_discard()) {
      queue.discard(step.page());
      continue;
    }
    const uint32_t frames = queue.reference(step.page());
    ++trace::row_of(curve.frames[step.side()], frames);
    for (size_t i = 0; i < memories.size(); ++i) {
      if (frames <= memories[i]) continue;
      ReadAheadCounts &counts = curve.prefetch[i];
      const bool covered = disks[i].miss(pages[step.page()]);
      ++(covered ? counts.prefetchable : counts.others)[step.side()];
    }
  }
  return curve;
}

} // namespace abut::sim
