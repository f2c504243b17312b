// The libFuzzer target for plans: what is accepted must be sound.
#include "helpers/any_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  if (abut::test::check_any_plan({data, size}) == abut::test::Verdict::unsound) std::abort();
  return 0;
}
