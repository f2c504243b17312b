// The libFuzzer target: its input is a list of operations for a crew of three threads.
#include "fuzz/crew.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  fuzz::Crew(3).perform({data, size});
  return 0;
}
