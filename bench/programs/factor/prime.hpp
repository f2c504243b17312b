// Machine-sized primes: for the factor base, and to make numbers that are hard to factorise.
#pragma once

#include "common/random.hpp"

namespace factor {

std::uint64_t power_modulo(std::uint64_t base, std::uint64_t exponent, std::uint64_t modulus);
bool is_prime(std::uint64_t candidate);

// A prime of that many digits, 19 at most.
std::uint64_t random_prime(std::uint64_t digits, bench::Random &random);

} // namespace factor
