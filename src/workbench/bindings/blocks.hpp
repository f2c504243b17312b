// Lengths of blocks, as Python hands them over.
#pragma once

#include "sim/blocks.hpp"

#include <nanobind/nanobind.h>

#include <bit>
#include <cstdint>

namespace abut::bindings {

// Raises ValueError where there can be no such blocks.
inline sim::BlockShift shift_of(uint64_t block_bytes) {
  if (!std::has_single_bit(block_bytes) || block_bytes < 8 || block_bytes > (uint64_t{1} << 40))
    throw nanobind::value_error("a block's bytes are a power of two, from 8 to 2**40");
  return {static_cast<unsigned>(std::countr_zero(block_bytes))};
}

} // namespace abut::bindings
