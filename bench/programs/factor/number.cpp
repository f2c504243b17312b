#include "number.hpp"

#include "common/memory.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

namespace factor {

// The limbs of a number, least first; the highest is not zero, and zero has none.
struct Limbs {
  std::uint32_t count;
  std::uint32_t at[];
};

namespace {

Limbs *make_limbs(std::uint32_t count) {
  auto *limbs = static_cast<Limbs *>(
      bench::allocate_bytes(offsetof(Limbs, at) + count * sizeof(std::uint32_t)));
  limbs->count = count;
  return limbs;
}

Limbs *make_zeros(std::uint32_t count) {
  Limbs *limbs = make_limbs(count);
  std::memset(limbs->at, 0, count * sizeof(std::uint32_t));
  return limbs;
}

Limbs *trimmed(Limbs *limbs) {
  while (limbs->count > 0 && limbs->at[limbs->count - 1] == 0) --limbs->count;
  return limbs;
}

Limbs *shifted_left(const Limbs *from, std::uint32_t count, unsigned shift) {
  Limbs *limbs = make_zeros(count);
  std::uint64_t carry = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t limb = i < from->count ? from->at[i] : 0;
    const std::uint64_t moved = limb << shift | carry;
    limbs->at[i] = static_cast<std::uint32_t>(moved);
    carry = moved >> 32;
  }
  return limbs;
}

void shift_right(Limbs *limbs, unsigned shift) {
  std::uint64_t carry = 0;
  for (std::uint32_t i = limbs->count; i-- > 0;) {
    const std::uint64_t both = carry << 32 | limbs->at[i];
    limbs->at[i] = static_cast<std::uint32_t>(both >> shift);
    carry = both & ((std::uint64_t{1} << shift) - 1);
  }
}

// One step of Knuth's algorithm D: takes the estimated digit times the divisor from the rest's
// upper limbs, and corrects both where the estimate was one too high. Returns the digit.
std::uint32_t take_multiple(std::uint32_t *rest, const Limbs *divisor, std::uint64_t estimate) {
  std::uint64_t carry = 0;
  std::int64_t borrow = 0;
  for (std::uint32_t i = 0; i < divisor->count; ++i) {
    const std::uint64_t product = estimate * divisor->at[i] + carry;
    carry = product >> 32;
    const std::int64_t left =
        std::int64_t{rest[i]} + borrow - static_cast<std::int64_t>(product & 0xffffffffu);
    rest[i] = static_cast<std::uint32_t>(left);
    borrow = left >> 32;
  }
  const std::int64_t left =
      std::int64_t{rest[divisor->count]} + borrow - static_cast<std::int64_t>(carry);
  rest[divisor->count] = static_cast<std::uint32_t>(left);
  if (left >= 0) return static_cast<std::uint32_t>(estimate);
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < divisor->count; ++i) {
    sum += std::uint64_t{rest[i]} + divisor->at[i];
    rest[i] = static_cast<std::uint32_t>(sum);
    sum >>= 32;
  }
  rest[divisor->count] += static_cast<std::uint32_t>(sum);
  return static_cast<std::uint32_t>(estimate - 1);
}

// The digit that the two highest limbs of the divisor suggest: right or one too high.
std::uint64_t estimate_digit(const std::uint32_t *rest, const Limbs *divisor) {
  const std::uint32_t n = divisor->count;
  const std::uint64_t high = std::uint64_t{rest[n]} << 32 | rest[n - 1];
  std::uint64_t digit = high / divisor->at[n - 1];
  std::uint64_t left = high % divisor->at[n - 1];
  while (digit >> 32 != 0 || digit * divisor->at[n - 2] > (left << 32 | rest[n - 2])) {
    --digit;
    left += divisor->at[n - 1];
    if (left >> 32 != 0) break;
  }
  return digit;
}

} // namespace

Number::Number(std::uint64_t value) : limbs_(make_limbs(2)) {
  limbs_->at[0] = static_cast<std::uint32_t>(value);
  limbs_->at[1] = static_cast<std::uint32_t>(value >> 32);
  trimmed(limbs_);
}

Number::Number(const Number &other) : limbs_(make_limbs(other.limbs_->count)) {
  std::memcpy(limbs_->at, other.limbs_->at, limbs_->count * sizeof(std::uint32_t));
}

// The analyser loses sight of the pointer where numbers are swapped.
Number::~Number() { std::free(limbs_); } // NOLINT(clang-analyzer-core.CallAndMessage)

std::optional<Number> Number::parse(std::string_view decimal) {
  Number number;
  for (const char digit : decimal) {
    if (digit < '0' || digit > '9') return std::nullopt;
    number = number * Number(10) + Number(static_cast<std::uint64_t>(digit - '0'));
  }
  return decimal.empty() ? std::nullopt : std::optional(number);
}

bool Number::is_zero() const { return limbs_->count == 0; }
bool Number::is_one() const { return limbs_->count == 1 && limbs_->at[0] == 1; }
bool Number::is_even() const { return limbs_->count == 0 || limbs_->at[0] % 2 == 0; }

std::size_t Number::bits() const {
  if (is_zero()) return 0;
  return limbs_->count * std::size_t{32} -
         static_cast<std::size_t>(std::countl_zero(limbs_->at[limbs_->count - 1]));
}

std::string Number::decimal() const {
  std::string digits;
  Number left = *this;
  do {
    auto division = left.divided_by(10);
    digits += static_cast<char>('0' + division.second);
    left = std::move(division.first);
  } while (!left.is_zero());
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::strong_ordering Number::operator<=>(const Number &other) const {
  if (limbs_->count != other.limbs_->count) return limbs_->count <=> other.limbs_->count;
  for (std::uint32_t i = limbs_->count; i-- > 0;)
    if (limbs_->at[i] != other.limbs_->at[i]) return limbs_->at[i] <=> other.limbs_->at[i];
  return std::strong_ordering::equal;
}

Number operator+(const Number &a, const Number &b) {
  const Limbs *longer = a.limbs_->count >= b.limbs_->count ? a.limbs_ : b.limbs_;
  const Limbs *shorter = longer == a.limbs_ ? b.limbs_ : a.limbs_;
  Limbs *sum = make_limbs(longer->count + 1);
  std::uint64_t carry = 0;
  for (std::uint32_t i = 0; i < longer->count; ++i) {
    carry += std::uint64_t{longer->at[i]} + (i < shorter->count ? shorter->at[i] : 0);
    sum->at[i] = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  sum->at[longer->count] = static_cast<std::uint32_t>(carry);
  return Number(trimmed(sum));
}

Number operator-(const Number &a, const Number &b) {
  Limbs *difference = make_limbs(a.limbs_->count);
  std::int64_t borrow = 0;
  for (std::uint32_t i = 0; i < a.limbs_->count; ++i) {
    borrow += std::int64_t{a.limbs_->at[i]} - (i < b.limbs_->count ? b.limbs_->at[i] : 0);
    difference->at[i] = static_cast<std::uint32_t>(borrow);
    borrow >>= 32;
  }
  return Number(trimmed(difference));
}

Number operator*(const Number &a, const Number &b) {
  Limbs *product = make_zeros(a.limbs_->count + b.limbs_->count);
  for (std::uint32_t i = 0; i < a.limbs_->count; ++i) {
    std::uint64_t carry = 0;
    for (std::uint32_t j = 0; j < b.limbs_->count; ++j) {
      carry += std::uint64_t{a.limbs_->at[i]} * b.limbs_->at[j] + product->at[i + j];
      product->at[i + j] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    product->at[i + b.limbs_->count] = static_cast<std::uint32_t>(carry);
  }
  return Number(trimmed(product));
}

Number operator/(const Number &a, const Number &b) { return a.divided_by(b).quotient; }
Number operator%(const Number &a, const Number &b) { return a.divided_by(b).rest; }

std::pair<Number, std::uint32_t> Number::divided_by(std::uint32_t divisor) const {
  Limbs *quotient = make_limbs(limbs_->count);
  std::uint64_t rest = 0;
  for (std::uint32_t i = limbs_->count; i-- > 0;) {
    rest = rest << 32 | limbs_->at[i];
    quotient->at[i] = static_cast<std::uint32_t>(rest / divisor);
    rest %= divisor;
  }
  return {Number(trimmed(quotient)), static_cast<std::uint32_t>(rest)};
}

Division Number::divided_by(const Number &divisor) const {
  if (*this < divisor) return {Number(), *this};
  const std::uint32_t n = divisor.limbs_->count;
  if (n == 1) {
    auto [quotient, rest] = divided_by(divisor.limbs_->at[0]);
    return {std::move(quotient), Number(rest)};
  }
  const auto shift = static_cast<unsigned>(std::countl_zero(divisor.limbs_->at[n - 1]));
  const Number scaled(shifted_left(divisor.limbs_, n, shift));
  Number rest(shifted_left(limbs_, limbs_->count + 1, shift));
  Number quotient(make_limbs(limbs_->count - n + 1));
  for (std::uint32_t i = quotient.limbs_->count; i-- > 0;) {
    std::uint32_t *window = rest.limbs_->at + i;
    quotient.limbs_->at[i] =
        take_multiple(window, scaled.limbs_, estimate_digit(window, scaled.limbs_));
  }
  shift_right(rest.limbs_, shift);
  trimmed(rest.limbs_);
  trimmed(quotient.limbs_);
  return {std::move(quotient), std::move(rest)};
}

Number square_root(const Number &number) {
  if (number.is_zero()) return number;
  Number root(1);
  for (std::size_t bits = number.bits() / 2 + 1; bits > 0; --bits) root = root + root;
  for (;;) { // Newton's steps go down from above until they stop falling
    Number next = (root + number / root).divided_by(2).first;
    if (next >= root) return root;
    root = std::move(next);
  }
}

Number greatest_common_divisor(Number a, Number b) {
  while (!b.is_zero()) {
    Number rest = a % b;
    a = std::move(b);
    b = std::move(rest);
  }
  return a;
}

} // namespace factor
