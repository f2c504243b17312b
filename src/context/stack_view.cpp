#include "context/stack_view.hpp"

#include "os/os.hpp"

namespace abut::context {

thread_local constinit StackView stack_view;

bool StackView::explore(Address sp, Address at) {
  if (at - sp > kFarthest) return false;
  const Address from = round_down(sp, kPageBytes), to = round_down(at, kPageBytes) + kPageBytes;
  const bool joins = from < high_ && low_ < to;
  for (Address page = from; page < to; page += kPageBytes) {
    if (joins && page >= low_ && page < high_) continue;
    if (!os::is_readable(reinterpret_cast<const void *>(page))) return false;
  }
  low_ = joins && low_ < from ? low_ : from;
  high_ = joins && high_ > to ? high_ : to;
  return true;
}

} // namespace abut::context
