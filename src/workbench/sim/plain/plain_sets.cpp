#include "sim/plain/plain_sets.hpp"

#include "sim/plain/compact_sets.hpp"
#include "sim/plain/digit_sets.hpp"

namespace abut::sim {

std::unique_ptr<PlainSets> PlainSets::make(uint64_t sets, uint32_t ways) {
  if (CompactSets::can_run(sets)) return std::make_unique<CompactSets>(sets, ways);
  return std::make_unique<DigitSets>(sets, ways);
}

} // namespace abut::sim
