#include "cover.hpp"

#include <algorithm>
#include <array>

namespace minimise {

namespace {

// The half of the space in which an input (given as its bit) is 0, or 1.
Cube half(const Cover &cover, std::uint64_t input, bool one, std::uint64_t outputs) {
  Cube cube = cover.universe(outputs);
  (one ? cube.zero : cube.one) &= ~input;
  return cube;
}

// Puts the complements of the two halves together. A cube found in both loses the literal.
Cover merged(const Cover &zero, const Cover &one, std::uint64_t input) {
  Cover whole(zero.inputs());
  std::vector<bool> in_both(one.size());
  for (std::size_t i = 0; i < zero.size(); ++i) {
    Cube cube = zero[i];
    std::size_t twin = 0;
    while (twin < one.size() && !(one[twin] == cube)) ++twin;
    if (twin < one.size())
      in_both[twin] = true;
    else
      cube.one &= ~input;
    whole.add(cube);
  }
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (in_both[i]) continue;
    Cube cube = one[i];
    cube.zero &= ~input;
    whole.add(cube);
  }
  return whole;
}

// De Morgan: what is not in a cube differs from it in at least one literal.
Cover outside(const Cube &cube, const Cover &cover, std::uint64_t outputs) {
  Cover result(cover.inputs());
  for (std::uint64_t left = cube.literals(); left != 0; left &= left - 1) {
    const std::uint64_t input = left & -left;
    result.add(half(cover, input, (cube.zero & input) != 0, outputs));
  }
  return result;
}

} // namespace

std::uint64_t Cover::literal_count() const {
  std::uint64_t literals = 0;
  for (const auto &cube : cubes_)
    literals += static_cast<std::uint64_t>(count(cube->literals()) + count(cube->outputs));
  return literals;
}

void Cover::add_all(const Cover &other) {
  for (const auto &cube : other.cubes_) add(*cube);
}

void Cover::remove_contained() {
  std::vector<std::unique_ptr<Cube>> kept;
  sort_by_literals();
  for (auto &cube : cubes_) {
    const bool contained = std::any_of(kept.begin(), kept.end(),
                                       [&](const auto &larger) { return larger->contains(*cube); });
    if (!contained) kept.push_back(std::move(cube));
  }
  cubes_ = std::move(kept);
}

void Cover::sort_by_literals() {
  std::stable_sort(cubes_.begin(), cubes_.end(), [](const auto &a, const auto &b) {
    return count(a->literals()) < count(b->literals());
  });
}

Cover Cover::cofactor(const Cube &within, std::size_t except) const {
  Cover result(inputs_);
  for (std::size_t i = 0; i < cubes_.size(); ++i) {
    if (i == except || !cubes_[i]->meets(within, inputs_)) continue;
    Cube cube = *cubes_[i];
    cube.zero |= within.literals(); // what `within` fixes is no question inside it
    cube.one |= within.literals();
    cube.outputs &= within.outputs;
    result.add(cube);
  }
  return result;
}

bool Cover::has_universe() const {
  return std::any_of(cubes_.begin(), cubes_.end(),
                     [](const auto &cube) { return cube->literals() == 0; });
}

// The input that occurs in most cubes among those that occur in both senses; 0 where none does.
std::uint64_t Cover::most_binate_input() const {
  std::array<int, 64> zeros{};
  std::array<int, 64> ones{};
  for (const auto &cube : cubes_) {
    for (std::uint64_t left = cube->literals(); left != 0; left &= left - 1) {
      const auto place = static_cast<std::size_t>(std::countr_zero(left));
      ++((cube->one >> place & 1) != 0 ? ones : zeros).at(place);
    }
  }
  int best = 0;
  std::uint64_t input = 0;
  for (std::size_t i = 0; i < zeros.size(); ++i) {
    const bool binate = zeros.at(i) > 0 && ones.at(i) > 0;
    if (binate && zeros.at(i) + ones.at(i) > best) {
      best = zeros.at(i) + ones.at(i);
      input = std::uint64_t{1} << i;
    }
  }
  return input;
}

bool Cover::is_tautology() const {
  if (has_universe()) return true;
  const std::uint64_t input = most_binate_input();
  if (input == 0) return false; // a unate cover is a tautology only where it holds the universe
  return cofactor(half(*this, input, false, ~std::uint64_t{0})).is_tautology() &&
         cofactor(half(*this, input, true, ~std::uint64_t{0})).is_tautology();
}

Cover Cover::complement(std::uint64_t outputs) const {
  if (has_universe()) return Cover(inputs_);
  if (cubes_.empty()) {
    Cover all(inputs_);
    all.add(universe(outputs));
    return all;
  }
  if (cubes_.size() == 1) return outside(*cubes_.front(), *this, outputs);
  std::uint64_t input = most_binate_input();
  if (input == 0) input = cubes_.front()->literals() & -cubes_.front()->literals();
  Cover zero = cofactor(half(*this, input, false, ~std::uint64_t{0})).complement(outputs);
  Cover one = cofactor(half(*this, input, true, ~std::uint64_t{0})).complement(outputs);
  Cover whole = merged(zero, one, input);
  whole.remove_contained();
  return whole;
}

} // namespace minimise
