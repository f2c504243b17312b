// The libFuzzer target for simulated caches: bytes choose the levels, the rest are references.
#include "helpers/any_caches.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  if (abut::test::check_any_caches({data, size})) std::abort();
  return 0;
}
