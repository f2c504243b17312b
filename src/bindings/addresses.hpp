// Columns of references that Python hands over: what they may be, and what they become.
#pragma once

#include "sim/addresses.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace abut::bindings {

namespace nb = nanobind;

template <typename Number>
using Input = nb::ndarray<const Number, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename Number>
using MaybeInput = std::optional<Input<Number>>;

template <typename Number>
std::span<const Number> span_of(const Input<Number> &array) {
  return {array.data(), array.shape(0)};
}

// Raises ValueError where the columns are not of one length.
inline sim::Addresses addresses_of(const Input<uint64_t> &address, const MaybeInput<uint32_t> &size,
                                   const MaybeInput<uint8_t> &side) {
  sim::Addresses references{span_of(address), {}, {}};
  if (size) references.size = span_of(*size);
  if (side) references.side = span_of(*side);
  const auto fits = [&](size_t length) { return length == 0 || length == references.count(); };
  if (!fits(references.size.size()) || !fits(references.side.size()))
    throw nb::value_error("the columns differ in length");
  return references;
}

inline sim::BlockShift shift_of(uint64_t block_bytes) {
  if (!std::has_single_bit(block_bytes) || block_bytes < 8 || block_bytes > (uint64_t{1} << 40))
    throw nb::value_error("a block's bytes are a power of two, from 8 to 2**40");
  return {static_cast<unsigned>(std::countr_zero(block_bytes))};
}

inline size_t side_of(size_t side) {
  if (side >= sim::Addresses::kSides) throw nb::value_error("a side is 0 or 1");
  return side;
}

} // namespace abut::bindings
