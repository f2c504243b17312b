// What the kernel is asked about pages of 2 MiB for the heap's memory.
#pragma once

#include "base/options.hpp"
#include "heap/geometry.hpp"
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

// Whether a heap whose small blocks take `owned` pages of 64 KiB is to have pages of 2 MiB for more of them. With few, the
// part of the last one that is not needed would be too large a share. And a virtual machine may have handed its free memory
// back to its host by as much as 2 MiB at a time: then each such page costs several times what small ones do, and the heap
// does without them until it has doubled.
class HugePageUse {
public:
  bool pays(size_t owned) const { return owned >= from_; }

  // So long the first write to one took: otherwise a tenth to a third of a millisecond, to clear it.
  void came_after(uint64_t nanoseconds, size_t owned) {
    if (nanoseconds > kSlow) from_ = 2 * owned;
  }

private:
  static constexpr uint64_t kSlow = 1'000'000;

  size_t from_ = 64 * MiB / kBlockPageBytes;
};

} // namespace abut::heap
