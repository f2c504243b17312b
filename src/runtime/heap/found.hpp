// Which block begins at an address that is handed back: for the slow paths, which know nothing of it yet.
#pragma once

#include "heap/birth_page.hpp"
#include "heap/large_blocks.hpp"

namespace abut::heap {

struct HugeInfo;

// A block that an address was found to be.
struct Found {
  enum class Where : uint8_t { foreign, sized, born, large, huge, placed } where = Where::foreign;
  LiveBlock sized;
  BirthBlock born;
  LargeBlock large;
  HugeInfo *huge = nullptr;
  size_t usable = 0; // bytes

  // Null where no heap owns it.
  LocalHeap *owner() const { return sized ? sized.page->owner : born ? born.page->owner : nullptr; }
};
using Where = Found::Where;

// What block begins at `memory`; ends the process, with the name of the call, if the address is the heap's and none does.
Found find_block(const char *call, void *memory);

// Ends the process with what is wrong about an address of the heap's at which no live block begins.
[[noreturn]] void fail_not_live(const char *call, const void *memory);

} // namespace abut::heap
