// libFuzzer's entry: the first byte says which containers, the others what is done with them.
#include "operations.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace abut;
  fuzz::Bytes bytes(data, size);
  const unsigned kind = bytes.next();
  switch (kind % 3) {
  case 0: fuzz::run_maps(bytes, kind / 3); break;
  case 1: fuzz::run_stable_maps(bytes, kind / 3); break;
  default: fuzz::run_lists(bytes, kind / 3);
  }
  fuzz::require(BytesOut::now == 0, "memory is not given back");
  fuzz::require(Guarded<true>::alive == 0 && Guarded<false>::alive == 0,
                "elements are not destroyed");
  return 0;
}
