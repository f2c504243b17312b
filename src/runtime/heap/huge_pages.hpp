// What the kernel is asked about pages of 2 MiB for the heap's memory.
#pragma once

#include "base/options.hpp"
#include "os/os.hpp"

namespace abut::heap {

enum class HugePages : int64_t { system, always, never }; // as the words of the option

inline HugePages huge_pages() { return static_cast<HugePages>(option_value(Option::thp)); }
inline bool wants_huge_pages() { return huge_pages() == HugePages::always; }

// To be called before the first write, which would make two megabytes small pages for good. True if they were asked for.
inline bool advise_huge_pages(void *memory, size_t bytes) {
  if (huge_pages() == HugePages::always) os::prefer_huge_pages(memory, bytes);
  if (huge_pages() == HugePages::never) os::refuse_huge_pages(memory, bytes);
  return wants_huge_pages();
}

} // namespace abut::heap
