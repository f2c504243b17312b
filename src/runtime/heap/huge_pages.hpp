// What the kernel is asked about pages of 2 MiB for the heap's memory.
#pragma once

#include "base/options.hpp"
#include "os/os.hpp"

namespace abut::heap {

// To be called before the first write, which would make two megabytes small pages for good. True if huge pages were
// asked for.
inline bool advise_huge_pages(void *memory, size_t bytes) {
  enum : int64_t { system, always, never }; // as the words of the option
  const int64_t chosen = option_value(Option::thp);
  if (chosen == always) os::prefer_huge_pages(memory, bytes);
  if (chosen == never) os::refuse_huge_pages(memory, bytes);
  return chosen == always;
}

} // namespace abut::heap
