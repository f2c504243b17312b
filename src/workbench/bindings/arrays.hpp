// Columns of numbers as numpy arrays that own their memory. Numbers of 64 bits are signed in Python: numpy makes
// floats of mixed signs, and none here reaches the upper half but "never", which becomes -1.
#pragma once

#include "layout/edges.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace abut::bindings {

namespace nb = nanobind;

// What `call` returns, while other threads of Python may run.
template <typename Call>
auto without_gil(Call call) {
  const nb::gil_scoped_release released;
  return call();
}

// A column that Python hands over.
template <typename Number>
using Input = nb::ndarray<const Number, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename Number>
std::span<const Number> span_of(const Input<Number> &input) {
  return {input.data(), input.size()};
}

template <typename Number>
std::vector<Number> vector_of(const Input<Number> &input) {
  return {input.data(), input.data() + input.size()};
}

template <typename Number>
using InPython = std::conditional_t<std::is_same_v<Number, uint64_t>, int64_t, Number>;

template <typename Number>
using Array = nb::ndarray<nb::numpy, Number, nb::ndim<1>>;

// An array that is filled piece by piece, up to the size that it was made for. Its numbers are not set before.
template <typename Number>
class Column {
public:
  explicit Column(size_t capacity) : numbers_(new Number[capacity]) {}

  template <typename From>
  void append(std::span<const From> piece) {
    std::transform(piece.begin(), piece.end(), numbers_.get() + size_,
                   [](From number) { return static_cast<Number>(number); });
    size_ += piece.size();
  }

  template <typename From, typename Convert>
  void append(std::span<const From> piece, Convert convert) {
    std::transform(piece.begin(), piece.end(), numbers_.get() + size_, convert);
    size_ += piece.size();
  }

  // Hands the memory to Python.
  Array<Number> finish() {
    Number *numbers = numbers_.release();
    const nb::capsule owner(numbers, [](void *p) noexcept { delete[] static_cast<Number *>(p); });
    return Array<Number>(numbers, {size_}, owner);
  }

private:
  std::unique_ptr<Number[]> numbers_;
  size_t size_ = 0;
};

template <typename Number>
Array<InPython<Number>> to_array(const std::vector<Number> &numbers) {
  Column<InPython<Number>> column(numbers.size());
  column.append(std::span<const Number>(numbers));
  return column.finish();
}

inline nb::tuple edge_arrays(const place::EdgeList &edges) {
  return nb::make_tuple(to_array(edges.from), to_array(edges.to), to_array(edges.weight));
}

} // namespace abut::bindings
