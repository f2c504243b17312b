// The continued fraction of the square root of k*n, which yields squares modulo n that are small:
// convergent^2 = sign * residue (mod n), with residue below 2 * sqrt(k*n).
#pragma once

#include "number.hpp"

namespace factor {

class ContinuedFraction {
public:
  ContinuedFraction(const Number &n, std::uint32_t multiplier)
      : n_(n), kn_(n * Number(multiplier)), root_(square_root(kn_)), partial_(root_),
        residue_(kn_ - root_ * root_), before_(1), convergent_(root_ % n) {}

  void advance() {
    const Number quotient = (root_ + partial_) / residue_;
    partial_ = quotient * residue_ - partial_;
    residue_ = (kn_ - partial_ * partial_) / residue_;
    Number next = (quotient * convergent_ + before_) % n_;
    before_ = std::move(convergent_);
    convergent_ = std::move(next);
    negative_ = !negative_;
  }

  const Number &square() const { return kn_; }
  const Number &convergent() const { return convergent_; }
  const Number &residue() const { return residue_; }
  bool negative() const { return negative_; }
  // From here on everything repeats (or k*n is a square and there is nothing to expand).
  bool exhausted() const { return residue_.is_zero() || residue_.is_one(); }

private:
  const Number n_;
  const Number kn_;
  const Number root_;
  Number partial_;
  Number residue_;
  Number before_;
  Number convergent_;
  bool negative_ = true;
};

} // namespace factor
