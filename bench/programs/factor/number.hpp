// Whole numbers of any length, each in a block of its own just as long as the number needs: every
// operation allocates its result, as the classic packages in C do. Numbers are never negative.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace factor {

struct Limbs;
struct Division;

class Number {
public:
  Number() : Number(std::uint64_t{0}) {}
  explicit Number(std::uint64_t value);
  static std::optional<Number> parse(std::string_view decimal);

  Number(const Number &other);
  Number(Number &&other) noexcept : limbs_(std::exchange(other.limbs_, nullptr)) {}
  Number &operator=(Number other) noexcept {
    std::swap(limbs_, other.limbs_);
    return *this;
  }
  ~Number();

  bool is_zero() const;
  bool is_one() const;
  bool is_even() const;
  std::size_t bits() const;
  std::string decimal() const;

  std::strong_ordering operator<=>(const Number &other) const;
  bool operator==(const Number &other) const { return std::is_eq(*this <=> other); }

  friend Number operator+(const Number &a, const Number &b);
  friend Number operator-(const Number &a, const Number &b); // needs a >= b
  friend Number operator*(const Number &a, const Number &b);
  friend Number operator/(const Number &a, const Number &b);
  friend Number operator%(const Number &a, const Number &b);

  // Division by a number other than zero.
  Division divided_by(const Number &divisor) const;
  std::pair<Number, std::uint32_t> divided_by(std::uint32_t divisor) const;

private:
  explicit Number(Limbs *limbs) : limbs_(limbs) {}

  Limbs *limbs_;
};

struct Division {
  Number quotient;
  Number rest;
};

Number square_root(const Number &number); // rounded down
Number greatest_common_divisor(Number a, Number b);

} // namespace factor
