#include "espresso.hpp"

namespace minimise {

namespace {

template <typename Act>
void for_each_bit(std::uint64_t bits, Act act) {
  for (; bits != 0; bits &= bits - 1) act(bits & -bits);
}

bool meets_any(const Cube &cube, const Cover &cover) {
  for (std::size_t i = 0; i < cover.size(); ++i)
    if (cover[i].meets(cube, cover.inputs())) return true;
  return false;
}

// Do the other cubes cover this one, for this output?
bool covered_by_others(const Cover &cover, std::size_t place, std::uint64_t output) {
  Cube part = cover[place];
  part.outputs = output;
  return cover.cofactor(part, place).is_tautology();
}

void expand_cube(Cube &cube, const Cover &off, std::uint64_t outputs) {
  for_each_bit(cube.literals(), [&](std::uint64_t input) {
    Cube larger = cube;
    larger.zero |= input;
    larger.one |= input;
    if (!meets_any(larger, off)) cube = larger;
  });
  for_each_bit(outputs & ~cube.outputs, [&](std::uint64_t output) {
    Cube larger = cube;
    larger.outputs = output;
    if (!meets_any(larger, off)) cube.outputs |= output;
  });
}

// The smallest cube that holds what only this cube covers, of all its outputs.
void reduce_cube(Cover &cover, std::size_t place) {
  Cube &cube = cover[place];
  Cube needed{0, 0, 0};
  for_each_bit(cube.outputs, [&](std::uint64_t output) {
    Cube part = cube;
    part.outputs = output;
    const Cover left = cover.cofactor(part, place).complement(output);
    for (std::size_t i = 0; i < left.size(); ++i) {
      needed.zero |= left[i].zero;
      needed.one |= left[i].one;
      needed.outputs |= output;
    }
  });
  if (needed.outputs != 0) cube = {cube.zero & needed.zero, cube.one & needed.one, needed.outputs};
}

std::uint64_t outputs_of(const Cover &cover) {
  std::uint64_t outputs = 0;
  for (std::size_t i = 0; i < cover.size(); ++i) outputs |= cover[i].outputs;
  return outputs;
}

} // namespace

Cover off_set(const Cover &cover, std::uint64_t outputs) {
  Cover off(cover.inputs());
  for_each_bit(outputs, [&](std::uint64_t output) {
    off.add_all(cover.cofactor(cover.universe(output)).complement(output));
  });
  return off;
}

void expand(Cover &cover, const Cover &off) {
  const std::uint64_t outputs = outputs_of(cover);
  for (std::size_t i = 0; i < cover.size(); ++i) expand_cube(cover[i], off, outputs);
  cover.remove_contained();
}

void make_irredundant(Cover &cover) {
  for (std::size_t i = cover.size(); i-- > 0;) {
    for_each_bit(cover[i].outputs, [&](std::uint64_t output) {
      if (covered_by_others(cover, i, output)) cover[i].outputs &= ~output;
    });
    if (cover[i].outputs == 0) cover.remove(i);
  }
}

void reduce(Cover &cover) {
  cover.sort_by_literals();
  for (std::size_t i = 0; i < cover.size(); ++i) reduce_cube(cover, i);
}

Cover minimised(const Cover &cover, const Cover &off) {
  Cover best(cover.inputs());
  best.add_all(cover);
  expand(best, off);
  make_irredundant(best);
  for (;;) {
    Cover next(best.inputs());
    next.add_all(best);
    reduce(next);
    expand(next, off);
    make_irredundant(next);
    if (next.size() > best.size() ||
        (next.size() == best.size() && next.literal_count() >= best.literal_count()))
      return best;
    best = std::move(next);
  }
}

bool equivalent(const Cover &original, const Cover &result, const Cover &off) {
  for (std::size_t i = 0; i < result.size(); ++i)
    if (meets_any(result[i], off)) return false;
  bool covered = true;
  for (std::size_t i = 0; i < original.size(); ++i)
    for_each_bit(original[i].outputs, [&](std::uint64_t output) {
      Cube part = original[i];
      part.outputs = output;
      covered = covered && result.cofactor(part).is_tautology();
    });
  return covered;
}

} // namespace minimise
