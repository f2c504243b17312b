#include "context/stack_view.hpp"

#include "os/os.hpp"

#include <algorithm>

namespace abut::context {

thread_local constinit StackView stack_view;

namespace {

struct Pages {
  Address begin, end;
};

bool are_readable(Pages pages) {
  for (Address page = pages.begin; page < pages.end; page += kPageBytes)
    if (!os::is_readable(reinterpret_cast<const void *>(page))) return false;
  return true;
}

} // namespace

// Calls come and go: what lies between is soon asked for, too, and who forgot one end for the other would ask forever.
bool StackView::explore(Address sp, Address at) {
  if (at - sp > kFarthest) return false;
  const Pages wanted{round_down(sp, kPageBytes), round_down(at, kPageBytes) + kPageBytes};
  const Pages both{std::min(low_, wanted.begin), std::max(high_, wanted.end)};
  const bool is_near = wanted.begin < high_ + kWidestGap && low_ < wanted.end + kWidestGap;
  if (is_near && are_readable({both.begin, low_}) && are_readable({high_, both.end})) {
    low_ = both.begin;
    high_ = both.end;
    return true;
  }
  if (!are_readable(wanted)) return false;
  low_ = wanted.begin;
  high_ = wanted.end;
  return true;
}

} // namespace abut::context
