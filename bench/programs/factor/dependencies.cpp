#include "dependencies.hpp"

#include <algorithm>
#include <iterator>

namespace factor {

namespace {

using Members = std::vector<std::size_t>;

struct Row {
  std::vector<bool> odd; // which exponents of the product are odd
  Members members;       // which relations were multiplied
};

Row row_of(const Relation &relation, std::size_t number) {
  Row row{std::vector<bool>(relation.exponents.size()), {number}};
  for (std::size_t i = 0; i < row.odd.size(); ++i) row.odd[i] = relation.exponents[i] % 2 == 1;
  return row;
}

void multiply(Row &row, const Row &by) {
  for (std::size_t i = 0; i < row.odd.size(); ++i) row.odd[i] = row.odd[i] != by.odd[i];
  Members members;
  std::set_symmetric_difference(row.members.begin(), row.members.end(), by.members.begin(),
                                by.members.end(), std::back_inserter(members));
  row.members = std::move(members);
}

Number power(Number base, std::size_t exponent, const Number &modulus) {
  Number result(1);
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = result * base % modulus;
    base = base * base % modulus;
  }
  return result;
}

// x^2 = y^2 (mod n): n divides (x + y)(x - y), and with luck neither factor alone.
std::optional<Number> divisor(const Members &members, const std::vector<Relation> &relations,
                              const FactorBase &base, const Number &n) {
  Number x(1);
  std::vector<std::size_t> exponents(base.size());
  for (const std::size_t member : members) {
    x = x * relations[member].convergent % n;
    for (std::size_t i = 0; i < exponents.size(); ++i)
      exponents[i] += relations[member].exponents[i];
  }
  Number y(1);
  for (std::size_t i = 1; i < exponents.size(); ++i)
    y = y * power(Number(base.prime(i)), exponents[i] / 2, n) % n;
  Number common = greatest_common_divisor(x + y, n);
  if (common.is_one() || common == n) return std::nullopt;
  return common;
}

// Multiplies the row by earlier ones until nothing in it is odd (returns true), or until it is the
// first that is odd in some place (then it is kept there as that place's pivot).
bool reduce(Row &row, std::vector<std::optional<Row>> &pivots) {
  for (;;) {
    const auto odd = std::find(row.odd.begin(), row.odd.end(), true);
    if (odd == row.odd.end()) return true;
    auto &pivot = pivots[static_cast<std::size_t>(odd - row.odd.begin())];
    if (!pivot) {
      pivot = row;
      return false;
    }
    multiply(row, *pivot);
  }
}

} // namespace

std::optional<Number> divisor_from(const std::vector<Relation> &relations, const FactorBase &base,
                                   const Number &n) {
  std::vector<std::optional<Row>> pivots(base.size());
  for (std::size_t number = 0; number < relations.size(); ++number) {
    Row row = row_of(relations[number], number);
    if (!reduce(row, pivots)) continue;
    if (auto found = divisor(row.members, relations, base, n)) return found;
  }
  return std::nullopt;
}

} // namespace factor
