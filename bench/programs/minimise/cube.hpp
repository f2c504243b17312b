// A cube: a product of literals, and the outputs it switches on. At most 64 inputs and 64 outputs.
#pragma once

#include <bit>
#include <cstdint>

namespace minimise {

struct Cube {
  std::uint64_t zero;    // the inputs that may be 0
  std::uint64_t one;     // the inputs that may be 1; an input that may be both is no literal
  std::uint64_t outputs; // the outputs that the cube switches on

  std::uint64_t literals() const { return zero ^ one; }

  bool meets(const Cube &other, std::uint64_t inputs) const {
    return (outputs & other.outputs) != 0 && ((zero & other.zero) | (one & other.one)) == inputs;
  }

  bool contains(const Cube &other) const {
    return (other.zero & ~zero) == 0 && (other.one & ~one) == 0 && (other.outputs & ~outputs) == 0;
  }

  bool operator==(const Cube &) const = default;
};

inline int count(std::uint64_t bits) { return std::popcount(bits); }

} // namespace minimise
