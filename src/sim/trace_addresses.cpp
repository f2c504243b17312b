#include "sim/trace_addresses.hpp"

#include "trace/tags.hpp"

namespace abut::sim {

Addresses TraceAddresses::convert(const trace::Batches &batches, uint32_t begin, uint32_t end) {
  address_.resize(end - begin);
  size_.resize(end - begin);
  side_.resize(end - begin);
  size_t count = 0;
  for (uint32_t i = begin; i < end; ++i) {
    const uint64_t object = batches.objects()[i];
    const uint8_t side = (batches.kinds()[i] & trace::kAllocator) != 0 ? 1 : 0;
    const uint64_t place = object < places_.size() ? places_[object] : kNowhere;
    // An object's own address is never 0; that of object 0, none, always is.
    const bool counts = object != 0 ? place != kNowhere : !is_laid_out_ && (strays_ || side != 0);
    address_[count] = (object != 0 ? place : 0) + batches.offsets()[i];
    size_[count] = batches.sizes()[i];
    side_[count] = side;
    count += counts ? 1 : 0;
  }
  return {{address_.data(), count}, {size_.data(), count}, {side_.data(), count}};
}

} // namespace abut::sim
