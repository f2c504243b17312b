// Balls in a box, after boxed-sim: a simulation from event to event, in which many small objects of
// several sizes are made, foreseen events above all, and most are thrown away unused.
#include "box.hpp"
#include "common/options.hpp"
#include "common/phases.hpp"

#include <cinttypes>
#include <cmath>
#include <cstdio>

namespace {

struct Settings {
  std::uint64_t balls = 1000;
  std::uint64_t events = 200'000;
  std::uint64_t seed = 1;
  bool check = false;
  bool times = false;
};

Settings parse(int argc, char **argv) {
  Settings settings;
  bench::Options options("balls", "Simulates balls that collide in a box, from event to event.");
  options.number("balls", settings.balls, {1, 10'000'000}, "balls");
  options.number("events", settings.events, {0, 10'000'000'000}, "events that happen");
  options.number("seed", settings.seed, {0, UINT64_MAX}, "seed of sizes and speeds");
  options.flag("check", settings.check, "look for balls that overlap at the end");
  options.flag("times", settings.times, "print phase times to standard error");
  options.parse(argc, argv);
  return settings;
}

} // namespace

int main(int argc, char **argv) {
  const Settings settings = parse(argc, argv);
  bench::Phases phases(settings.times);
  bench::Random random(settings.seed);
  phases.begin("fill");
  balls::Box box(settings.balls, random);
  const double energy = box.energy();
  phases.begin("simulate");
  for (std::uint64_t i = 0; i < settings.events; ++i) box.step();
  phases.end();
  if (std::abs(box.energy() - energy) > energy * 1e-9) {
    std::fprintf(stderr, "balls: energy was %.12g and is %.12g; it must be kept\n", energy,
                 box.energy());
    return 1;
  }
  if (settings.check && box.overlaps(1e-9) != 0) {
    std::fprintf(stderr, "balls: %" PRIu64 " pairs of balls overlap\n", box.overlaps(1e-9));
    return 1;
  }
  std::printf("balls %" PRIu64 " collisions %" PRIu64 " foreseen %" PRIu64 " remembered %" PRIu64
              " time %.9f\n",
              settings.balls, box.collisions(), box.foreseen(), box.remembered_bytes(), box.time());
}
