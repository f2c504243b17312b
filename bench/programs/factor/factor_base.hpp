// The small primes that can divide a residue, and the search for residues that they divide wholly.
#pragma once

#include "number.hpp"

#include <vector>

namespace factor {

// What a smooth residue tells: convergent^2 = product of base[i]^exponents[i] (mod n), where
// exponents[0] belongs to -1.
struct Relation {
  Number convergent;
  std::vector<std::uint8_t> exponents;
};

class FactorBase {
public:
  FactorBase(const Number &square, std::size_t size);

  std::size_t size() const { return primes_.size() + 1; }
  std::uint32_t prime(std::size_t place) const { return primes_[place - 1]; }

  // The exponents of a residue; empty where a prime outside the base divides it.
  std::vector<std::uint8_t> exponents(const Number &residue, bool negative) const;

private:
  std::vector<std::uint32_t> primes_;
};

} // namespace factor
