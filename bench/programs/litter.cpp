// A library to be preloaded behind a heap: any program then begins in an aged heap, of which LITTER_MIB mebibytes were
// allocated in mixed sizes, and a random three quarters freed.
#include "common/aged.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

// After the heap's own start. What is left stays to the end, as it does in a program that runs for long.
__attribute__((constructor(65535))) void age() {
  const char *mebibytes = std::getenv("LITTER_MIB");
  if (mebibytes == nullptr) return;
  const std::uint64_t bytes = std::strtoull(mebibytes, nullptr, 10) << 20;
  alignas(bench::AgedHeap) static std::byte place[sizeof(bench::AgedHeap)]; // never destroyed
  if (bytes <= bench::AgedHeap::kMostBytes) new (place) bench::AgedHeap(bytes, 1);
}

} // namespace
