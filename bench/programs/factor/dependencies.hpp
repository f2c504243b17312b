// Finds sets of relations whose product is a square on both sides: elimination modulo 2.
#pragma once

#include "factor_base.hpp"

#include <optional>
#include <vector>

namespace factor {

// A divisor of n other than 1 and n, from the first dependency that yields one.
std::optional<Number> divisor_from(const std::vector<Relation> &relations, const FactorBase &base,
                                   const Number &n);

} // namespace factor
