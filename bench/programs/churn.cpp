// A server in its steady state: most objects die young, the rest live in a large set in which a
// random one is replaced at every turn, so that their lifetimes are exponential. Sizes follow the
// mix that long-running programs show: mostly tens of bytes, rarely tens of kilobytes.
#include "common/checksum.hpp"
#include "common/memory.hpp"
#include "common/options.hpp"
#include "common/phases.hpp"
#include "common/random.hpp"

#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstring>

using bench::Checksum;
using bench::Random;

namespace {

struct Settings {
  std::uint64_t live = 200'000;
  std::uint64_t turns = 5'000'000;
  std::uint64_t young = 80;
  std::uint64_t reads = 2;
  std::uint64_t seed = 1;
  bool times = false;
};

struct Object {
  std::uint32_t size;
  std::uint32_t tag; // repeated in the last bytes: a block that was overwritten is found out
};

struct Band {
  double share;
  std::uint64_t low;
  std::uint64_t high;
};

constexpr std::array<Band, 6> kBands{{{0.38, 12, 32},
                                      {0.32, 33, 96},
                                      {0.20, 97, 320},
                                      {0.08, 321, 2048},
                                      {0.018, 2049, 16384},
                                      {0.002, 16385, 65536}}};

std::uint64_t draw_size(Random &random) {
  double at = random.unit();
  for (const Band &band : kBands) {
    if (at < band.share) return random.between(band.low, band.high);
    at -= band.share;
  }
  return kBands.back().high;
}

class Population {
public:
  explicit Population(const Settings &settings) : settings_(settings), random_(settings.seed) {
    old_ = bench::allocate_array<Object *>(settings.live);
    for (std::uint64_t i = 0; i < settings.live; ++i) old_[i] = make();
    for (Object *&object : nursery_) object = make();
  }

  ~Population() {
    for (std::uint64_t i = 0; i < settings_.live; ++i) retire(old_[i]);
    for (Object *object : nursery_) retire(object);
    std::free(old_);
  }

  Population(const Population &) = delete;
  Population &operator=(const Population &) = delete;

  void turn(std::uint64_t number) {
    const bool young = random_.below(100) < settings_.young;
    Object *&slot =
        young ? nursery_.at(number % nursery_.size()) : old_[random_.below(settings_.live)];
    retire(slot);
    slot = make();
    for (std::uint64_t i = 0; i < settings_.reads; ++i)
      sum_.add(old_[random_.below(settings_.live)]->tag);
  }

  const Checksum &sum() const { return sum_; }

private:
  Object *make() {
    const std::uint64_t size = draw_size(random_);
    auto *object = static_cast<Object *>(bench::allocate_bytes(size));
    object->size = static_cast<std::uint32_t>(size);
    object->tag = static_cast<std::uint32_t>(random_.next());
    char *bytes = reinterpret_cast<char *>(object);
    std::memset(bytes + sizeof(Object), static_cast<int>(object->tag), size - sizeof(Object));
    std::memcpy(bytes + size - sizeof(object->tag), &object->tag, sizeof(object->tag));
    return object;
  }

  void retire(Object *object) {
    std::uint32_t tail = 0;
    std::memcpy(&tail, reinterpret_cast<char *>(object) + object->size - sizeof(tail),
                sizeof(tail));
    if (tail != object->tag) {
      std::fprintf(stderr, "churn: a block of %u bytes was overwritten while it was live\n",
                   object->size);
      std::abort();
    }
    sum_.add(object->size);
    std::free(object);
  }

  const Settings &settings_;
  Random random_;
  Checksum sum_;
  Object **old_ = nullptr;
  std::array<Object *, 1000> nursery_{};
};

Settings parse(int argc, char **argv) {
  Settings settings;
  bench::Options options("churn", "Replaces objects of mixed sizes in a large live set.");
  options.number("live", settings.live, {1, 1'000'000'000}, "objects that live long");
  options.number("turns", settings.turns, {0, 100'000'000'000}, "objects replaced");
  options.number("young", settings.young, {0, 100}, "of 100 objects, how many die young");
  options.number("reads", settings.reads, {0, 1000}, "old objects read a turn");
  options.number("seed", settings.seed, {0, UINT64_MAX}, "seed of sizes and lifetimes");
  options.flag("times", settings.times, "print phase times to standard error");
  options.parse(argc, argv);
  return settings;
}

} // namespace

int main(int argc, char **argv) {
  const Settings settings = parse(argc, argv);
  bench::Phases phases(settings.times);
  phases.begin("fill");
  Population population(settings);
  phases.begin("churn");
  for (std::uint64_t i = 0; i < settings.turns; ++i) population.turn(i);
  phases.begin("free");
  std::printf("live %" PRIu64 " turns %" PRIu64 " checksum %016" PRIx64 "\n", settings.live,
              settings.turns, population.sum().value());
}
