// How many pages of a stretch of memory the kernel keeps for this process.
#pragma once

#include "base/units.hpp"

#include <cstdlib>
#include <sys/mman.h>
#include <vector>

namespace abut::test {

inline size_t resident_pages(Address begin, size_t bytes) {
  std::vector<unsigned char> pages(bytes / kPageBytes);
  if (mincore(reinterpret_cast<void *>(begin), bytes, pages.data()) != 0) std::abort();
  size_t resident = 0;
  for (unsigned char page : pages) resident += page & 1;
  return resident;
}

inline size_t resident_pages(const void *begin, size_t bytes) {
  return resident_pages(reinterpret_cast<Address>(begin), bytes);
}

// Whether anything is mapped where `memory` points to.
inline bool is_mapped(const void *memory) {
  unsigned char resident = 0;
  const Address page = round_down(reinterpret_cast<Address>(memory), kPageBytes);
  return mincore(reinterpret_cast<void *>(page), kPageBytes, &resident) == 0;
}

// Writes to every page, so that each is resident.
inline void touch(void *begin, size_t bytes) {
  for (size_t at = 0; at < bytes; at += kPageBytes) static_cast<volatile char *>(begin)[at] = 1;
}

} // namespace abut::test
