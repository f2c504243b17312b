// Factorises a product of two primes by continued fractions (Morrison and Brillhart), after cfrac:
// a torrent of tiny blocks, most of which die within a few operations, while the relations found
// among them live to the end.
#include "common/options.hpp"
#include "common/phases.hpp"
#include "common/random.hpp"
#include "continued_fraction.hpp"
#include "dependencies.hpp"
#include "factor_base.hpp"
#include "prime.hpp"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>

using factor::ContinuedFraction;
using factor::FactorBase;
using factor::Number;
using factor::Relation;

namespace {

struct Settings {
  std::uint64_t digits = 24;
  std::uint64_t base = 0;
  std::uint64_t seed = 1;
  std::string_view number;
  bool times = false;
};

struct Outcome {
  std::optional<Number> divisor;
  std::uint64_t expanded = 0;
  std::size_t relations = 0;
};

// Larger numbers repay more primes; the rate was chosen by trying, for 20 to 32 digits.
std::size_t base_size(const Number &n) {
  const std::size_t bits = n.bits();
  return 20 + bits * bits / 48;
}

Outcome expand(const Number &n, std::uint32_t multiplier, std::size_t size) {
  Outcome outcome;
  ContinuedFraction fraction(n, multiplier);
  const FactorBase base(fraction.square(), size);
  std::vector<Relation> relations;
  while (relations.size() < base.size() + 10 && !fraction.exhausted()) {
    auto exponents = base.exponents(fraction.residue(), fraction.negative());
    if (!exponents.empty()) relations.push_back({fraction.convergent(), std::move(exponents)});
    fraction.advance();
    ++outcome.expanded;
  }
  outcome.relations = relations.size();
  outcome.divisor = factor::divisor_from(relations, base, n);
  return outcome;
}

Number number_to_factor(const Settings &settings, const bench::Options &options) {
  if (settings.number.empty()) {
    bench::Random random(settings.seed);
    const std::uint64_t p = factor::random_prime(settings.digits / 2, random);
    const std::uint64_t q = factor::random_prime(settings.digits - settings.digits / 2, random);
    return Number(p) * Number(q);
  }
  const auto parsed = Number::parse(settings.number);
  if (!parsed || *parsed < Number(4))
    options.fail("number", settings.number, "give a whole number in decimal digits, at least 4");
  return *parsed;
}

Outcome factorise(const Number &n, std::size_t size) {
  if (n.is_even()) return {Number(2)};
  const Number root = square_root(n);
  if (root * root == n) return {root};
  // A short period or unlucky dependencies: another multiple of n has another expansion.
  constexpr std::array<std::uint32_t, 8> kMultipliers{1, 3, 5, 7, 11, 13, 17, 19};
  Outcome outcome;
  for (const std::uint32_t multiplier : kMultipliers) {
    outcome = expand(n, multiplier, size);
    if (outcome.divisor) break;
  }
  return outcome;
}

} // namespace

int main(int argc, char **argv) {
  Settings settings;
  bench::Options options("factor", "Factorises a number by continued fractions.");
  options.number("digits", settings.digits, {6, 38}, "digits of the random product of two primes");
  options.number("base", settings.base, {0, 100'000}, "primes in the factor base; 0: by size");
  options.number("seed", settings.seed, {0, UINT64_MAX}, "seed of the primes");
  options.text("number", settings.number, "factorise this number instead");
  options.flag("times", settings.times, "print phase times to standard error");
  options.parse(argc, argv);
  const Number n = number_to_factor(settings, options);
  bench::Phases phases(settings.times);
  phases.begin("factor");
  const Outcome outcome = factorise(n, settings.base == 0 ? base_size(n) : settings.base);
  phases.end();
  if (!outcome.divisor) {
    std::printf("%s: no factors found; it may be prime, else try another --base\n",
                n.decimal().c_str());
    return 1;
  }
  const auto [other, rest] = n.divided_by(*outcome.divisor);
  if (!rest.is_zero() || *outcome.divisor * other != n) {
    std::fprintf(stderr, "factor: the factors found do not multiply to the number\n");
    return 1;
  }
  std::printf("%s = %s x %s (expanded %" PRIu64 " relations %zu)\n", n.decimal().c_str(),
              std::min(*outcome.divisor, other).decimal().c_str(),
              std::max(*outcome.divisor, other).decimal().c_str(), outcome.expanded,
              outcome.relations);
}
