#include "allocators/layers/areas.hpp"

namespace abut::layers {

constinit heap::SegmentMap area_map;

} // namespace abut::layers
