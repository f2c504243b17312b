#include "prime.hpp"

#include <initializer_list>

namespace factor {

namespace {

std::uint64_t multiply(std::uint64_t a, std::uint64_t b, std::uint64_t modulus) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b % modulus);
}

// Miller and Rabin's test for one base.
bool passes(std::uint64_t candidate, std::uint64_t base) {
  const int twos = __builtin_ctzll(candidate - 1);
  std::uint64_t value = power_modulo(base, (candidate - 1) >> twos, candidate);
  if (value == 1 || value == candidate - 1) return true;
  for (int i = 1; i < twos; ++i) {
    value = multiply(value, value, candidate);
    if (value == candidate - 1) return true;
  }
  return false;
}

} // namespace

std::uint64_t power_modulo(std::uint64_t base, std::uint64_t exponent, std::uint64_t modulus) {
  std::uint64_t result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent % 2 == 1) result = multiply(result, base, modulus);
    base = multiply(base, base, modulus);
  }
  return result;
}

// These bases decide for every 64-bit number (Sorenson and Webster).
bool is_prime(std::uint64_t candidate) {
  for (const std::uint64_t base : {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37}) {
    if (candidate % base == 0) return candidate == base;
    if (!passes(candidate, base)) return false;
  }
  return true;
}

std::uint64_t random_prime(std::uint64_t digits, bench::Random &random) {
  std::uint64_t low = 1;
  for (std::uint64_t i = 1; i < digits; ++i) low *= 10;
  for (;;) {
    const std::uint64_t candidate = random.between(low * 2, low * 10 - 1) | 1;
    if (is_prime(candidate)) return candidate;
  }
}

} // namespace factor
