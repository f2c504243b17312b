#include "factor_base.hpp"

#include "prime.hpp"

namespace factor {

namespace {

// Only a prime modulo which k*n is a square (or zero) can divide a residue.
bool can_divide(std::uint32_t prime, const Number &square) {
  const std::uint32_t rest = square.divided_by(prime).second;
  return prime == 2 || rest == 0 || power_modulo(rest, (prime - 1) / 2, prime) == 1;
}

} // namespace

FactorBase::FactorBase(const Number &square, std::size_t size) {
  for (std::uint32_t candidate = 2; primes_.size() < size; ++candidate)
    if (is_prime(candidate) && can_divide(candidate, square)) primes_.push_back(candidate);
}

std::vector<std::uint8_t> FactorBase::exponents(const Number &residue, bool negative) const {
  std::vector<std::uint8_t> exponents(size());
  exponents[0] = negative ? 1 : 0;
  Number left = residue;
  const std::size_t small = primes_.size() / 6;
  for (std::size_t i = 0; i < primes_.size() && !left.is_one(); ++i) {
    // Early abort: what the small primes have hardly reduced, the larger ones rarely finish.
    if (i == small && left.bits() + 10 > residue.bits()) return {};
    for (;;) {
      auto [quotient, rest] = left.divided_by(primes_[i]);
      if (rest != 0) break;
      left = std::move(quotient);
      ++exponents[i + 1];
    }
  }
  return left.is_one() ? exponents : std::vector<std::uint8_t>{};
}

} // namespace factor
