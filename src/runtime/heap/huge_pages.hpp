// What the kernel is asked about pages of 2 MiB for the heap's memory.
#pragma once

#include "base/options.hpp"
#include "os/os.hpp"

namespace abut::heap {

// In the order of the option's words.
enum class HugePages : int64_t { large, always, never, system };

inline HugePages huge_pages() { return static_cast<HugePages>(option_value(Option::thp)); }

// To be called before the first write, which would make two megabytes small pages for good.
inline void advise_huge_pages(void *memory, size_t bytes, bool wanted) {
  if (wanted) os::prefer_huge_pages(memory, bytes);
  if (huge_pages() == HugePages::never) os::refuse_huge_pages(memory, bytes);
}

// The same for memory of which who asks for it may leave most untouched.
inline bool advise_huge_pages(void *memory, size_t bytes) {
  const bool wanted = huge_pages() == HugePages::always;
  advise_huge_pages(memory, bytes, wanted);
  return wanted;
}

} // namespace abut::heap
