// How many references a second the simulators take in, on one core: of a trace, or of a run made up here.
//
// usage: sim_speed [FILE]     the references lie in memory; medians of some rounds
#include "sim/time/core.hpp"
#include "sim/tree/tree.hpp"
#include "trace/batches.hpp"
#include "trace/reader.hpp"

#include "common/random.hpp"
#include "common/rates.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace {

using namespace abut::sim;

constexpr uint32_t kMostReferences = 16'000'000;
constexpr int kRounds = 5;
constexpr uint8_t kFromNoLoad = 1; // a source, as traces have it

struct Columns {
  std::vector<uint64_t> addresses;
  std::vector<uint32_t> sizes;
  std::vector<Kind> kinds;
  std::vector<uint64_t> codes;
  std::vector<uint8_t> sources;

  void add(uint64_t address, uint32_t size, Kind kind, uint64_t code, uint8_t source) {
    addresses.push_back(address);
    sizes.push_back(size);
    kinds.push_back(kind);
    codes.push_back(code);
    sources.push_back(source);
  }
  References all() const { return {addresses, sizes, kinds, {}, {}, codes, {}, sources}; }
  References without_sources() const { return {addresses, sizes, kinds, {}, {}, codes}; }
};

// Objects of 48 bytes whose fields are read and written in turn, mostly of a few thousand in use, now and then of all;
// a table that is asked at random; an array that is swept. No address comes from memory.
Columns made_up() {
  bench::Random random(1);
  Columns columns;
  while (columns.addresses.size() < kMostReferences) {
    for (uint32_t i = 0; i < 1000; ++i) {
      const uint64_t most = random.below(16) == 0 ? 500'000 : 4'000;
      const uint64_t object = 0x10000000 + 64 * random.below(most);
      for (uint64_t field = 0; field < 40; field += 8)
        columns.add(object + field, 8, field == 32 ? kWrite : 0, 0x400000 + field, kFromNoLoad);
    }
    for (uint32_t i = 0; i < 500; ++i)
      columns.add(0x20000000 + 8 * random.below(1 << 18), 8, 0, 0x400100, kFromNoLoad);
    for (uint64_t at = 0; at < 16384; at += 8)
      columns.add(0x30000000 + at, 8, kWrite, 0x400200, kFromNoLoad);
  }
  return columns;
}

Columns recorded(const char *path) {
  abut::trace::Result<abut::trace::Reader> reader = abut::trace::Reader::open(path);
  if (!reader) {
    std::fprintf(stderr, "sim_speed: %s: %s\n", path, reader.error().why.c_str());
    std::exit(1);
  }
  Columns columns;
  std::vector<uint64_t> base(1);
  abut::trace::Batches batches(reader.value());
  while (batches.next() && columns.addresses.size() < kMostReferences) {
    for (const abut::trace::Event &event : batches.events()) {
      if (event.object >= base.size()) base.resize(event.object + 1);
      if (event.kind == abut::trace::EventKind::allocate) base[event.object] = event.address;
    }
    for (uint32_t i = 0; i < batches.size(); ++i)
      columns.add(base[batches.objects()[i]] + batches.offsets()[i], batches.sizes()[i],
                  batches.kinds()[i], batches.codes()[i], batches.sources()[i]);
  }
  return columns;
}

LevelSettings level(const char *name, const char *below, uint64_t capacity, uint32_t ways) {
  LevelSettings settings;
  settings.name = name;
  settings.below = below;
  settings.capacity = capacity;
  settings.ways = ways;
  return settings;
}

std::vector<LevelSettings> caches(bool classify) {
  std::vector<LevelSettings> levels{level("L1", "L2", 48 << 10, 12), level("L2", "L3", 2 << 20, 16),
                                    level("L3", "", 32 << 20, 16)};
  for (LevelSettings &settings : levels) settings.classify = classify;
  return levels;
}

std::vector<LevelSettings> tlb() {
  std::vector<LevelSettings> levels{level("L1", "L2", 96 << 12, 6),
                                    level("L2", "", 2048 << 12, 16)};
  for (LevelSettings &settings : levels) settings.line = 4096;
  return levels;
}

// Time that others had the core is not counted.
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

bench::Rates rates_of(const Columns &columns, bool with_tlb, bool classify, uint64_t &misses) {
  bench::Rates rates;
  for (int round = 0; round < kRounds; ++round) {
    auto data = Tree::make(caches(classify)).take();
    auto pages = Tree::make(tlb()).take();
    const double begin = processor_seconds();
    constexpr size_t kPiece = 4096;
    for (size_t done = 0; done < columns.addresses.size(); done += kPiece) {
      const size_t length = std::min(kPiece, columns.addresses.size() - done);
      data->take(columns.all().part(done, length));
      if (with_tlb) pages->take(columns.all().part(done, length));
    }
    rates.add(static_cast<double>(columns.addresses.size()), processor_seconds() - begin);
    const Counts counts = data->counts(0);
    misses = counts.misses[0] + counts.misses[1] + counts.misses[2] + counts.misses[3];
  }
  return rates;
}

void report(const char *what, const Columns &columns, bool with_tlb, bool classify) {
  uint64_t misses = 0;
  const bench::Rates rates = rates_of(columns, with_tlb, classify, misses);
  const auto count = static_cast<double>(columns.addresses.size());
  std::printf("%s: %s; %.1f %% miss L1\n", what, rates.text("references").c_str(),
              100.0 * static_cast<double>(misses) / count);
}

void report_time(const char *what, const References &references) {
  bench::Rates rates;
  double cycles = 0;
  const auto count = static_cast<double>(references.count());
  for (int round = 0; round < kRounds; ++round) {
    Machine machine;
    machine.caches[1].index = Index::frame;
    machine.caches[2].index = Index::hash;
    machine.adjacent = true;
    machine.next = 1;
    machine.stride = 2;
    machine.stores = 64;
    Core core(machine);
    const double begin = processor_seconds();
    core.take(references);
    rates.add(count, processor_seconds() - begin);
    cycles = static_cast<double>(core.counts().total()) / kTicksInCycle;
  }
  std::printf("%s: %s; %.2f cycles each\n", what, rates.text("references").c_str(), cycles / count);
}

} // namespace

int main(int argc, char **argv) {
  const Columns columns = argc > 1 ? recorded(argv[1]) : made_up();
  std::printf("%zu references of %s\n", columns.addresses.size(),
              argc > 1 ? argv[1] : "a made-up run");
  report("L1, L2, L3 (LRU) and a TLB", columns, true, false);
  report("the same without the TLB", columns, false, false);
  report("L1, L2, L3 (LRU) with miss classes", columns, false, true);
  report_time("time, all models", columns.all());
  report_time("time, dependence by lines", columns.without_sources());
  return 0;
}
