// A two-level logic minimiser in the manner of espresso, on random functions: covers of small cubes
// are made, halved, complemented and thrown away by the thousand in deep recursions.
#include "common/checksum.hpp"
#include "common/options.hpp"
#include "common/phases.hpp"
#include "common/random.hpp"
#include "espresso.hpp"

#include <cinttypes>
#include <cstdio>

using bench::Random;
using minimise::Cover;
using minimise::Cube;

namespace {

struct Settings {
  std::uint64_t inputs = 10;
  std::uint64_t outputs = 4;
  std::uint64_t cubes = 40;
  std::uint64_t cuts = 3;
  std::uint64_t functions = 10;
  std::uint64_t seed = 1;
  bool show = false;
  bool times = false;
};

std::uint64_t low_bits(std::uint64_t count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

Cube random_cube(const Settings &settings, Cube cube, Random &random) {
  for (std::uint64_t input = 0; input < settings.inputs; ++input)
    if (random.below(5) < 2) // two in five inputs are literals
      (random.chance(0.5) ? cube.zero : cube.one) &= ~(std::uint64_t{1} << input);
  return cube;
}

// Adds the cube in pieces, as a truth table or a translated program would give it.
void add_in_pieces(Cover &cover, const Cube &cube, std::uint64_t cuts, const Settings &settings,
                   Random &random) {
  const std::uint64_t input = std::uint64_t{1} << random.below(settings.inputs);
  if (cuts == 0 || (cube.literals() & input) != 0) {
    cover.add(cube);
    return;
  }
  Cube zero = cube;
  Cube one = cube;
  zero.one &= ~input;
  one.zero &= ~input;
  add_in_pieces(cover, zero, cuts - 1, settings, random);
  add_in_pieces(cover, one, cuts - 1, settings, random);
}

Cover random_cover(const Settings &settings, Random &random) {
  Cover cover(low_bits(settings.inputs));
  for (std::uint64_t i = 0; i < settings.cubes; ++i) {
    const Cube whole = cover.universe(1 + random.below(low_bits(settings.outputs)));
    add_in_pieces(cover, random_cube(settings, whole, random), settings.cuts, settings, random);
  }
  return cover;
}

// One line a cube, as espresso's files have it: inputs, then outputs.
void print(const Cover &cover, const Settings &settings) {
  for (std::size_t i = 0; i < cover.size(); ++i) {
    for (std::uint64_t bit = 0; bit < settings.inputs; ++bit) {
      const bool zero = (cover[i].zero >> bit & 1) != 0;
      const bool one = (cover[i].one >> bit & 1) != 0;
      std::putchar(zero && one ? '-' : one ? '1' : '0');
    }
    std::putchar(' ');
    for (std::uint64_t bit = 0; bit < settings.outputs; ++bit)
      std::putchar((cover[i].outputs >> bit & 1) != 0 ? '1' : '0');
    std::putchar('\n');
  }
}

Settings parse(int argc, char **argv) {
  Settings settings;
  bench::Options options("minimise", "Minimises random two-level logic functions.");
  options.number("inputs", settings.inputs, {1, 64}, "inputs of a function");
  options.number("outputs", settings.outputs, {1, 63}, "outputs of a function");
  options.number("cubes", settings.cubes, {1, 100'000}, "random cubes of a function");
  options.number("cuts", settings.cuts, {0, 16}, "times that a cube is cut in two");
  options.number("functions", settings.functions, {1, 1'000'000}, "functions");
  options.number("seed", settings.seed, {0, UINT64_MAX}, "seed of the functions");
  options.flag("show", settings.show, "print each function and what became of it");
  options.flag("times", settings.times, "print phase times to standard error");
  options.parse(argc, argv);
  return settings;
}

} // namespace

int main(int argc, char **argv) {
  const Settings settings = parse(argc, argv);
  bench::Phases phases(settings.times);
  phases.begin("minimise");
  Random random(settings.seed);
  bench::Checksum sum;
  std::size_t before = 0;
  std::size_t after = 0;
  for (std::uint64_t i = 0; i < settings.functions; ++i) {
    const Cover cover = random_cover(settings, random);
    const Cover off = minimise::off_set(cover, low_bits(settings.outputs));
    const Cover result = minimise::minimised(cover, off);
    if (!minimise::equivalent(cover, result, off)) {
      std::fprintf(stderr, "minimise: function %" PRIu64 " was changed by its minimisation\n", i);
      return 1;
    }
    if (settings.show) {
      print(cover, settings);
      std::printf("becomes\n");
      print(result, settings);
    }
    before += cover.size();
    after += result.size();
    sum.add(result.literal_count());
  }
  phases.end();
  std::printf("functions %" PRIu64 " cubes %zu -> %zu checksum %016" PRIx64 "\n",
              settings.functions, before, after, sum.value());
}
