// Columns that Python hands over, and lengths of blocks.
#pragma once

#include "sim/blocks.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <bit>
#include <cstdint>
#include <span>

namespace abut::bindings {

template <typename Number>
using Input =
    nanobind::ndarray<const Number, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

template <typename Number>
std::span<const Number> span_of(const Input<Number> &array) {
  return {array.data(), array.shape(0)};
}

// Raises ValueError where there can be no such blocks.
inline sim::BlockShift shift_of(uint64_t block_bytes) {
  if (!std::has_single_bit(block_bytes) || block_bytes < 8 || block_bytes > (uint64_t{1} << 40))
    throw nanobind::value_error("a block's bytes are a power of two, from 8 to 2**40");
  return {static_cast<unsigned>(std::countr_zero(block_bytes))};
}

} // namespace abut::bindings
