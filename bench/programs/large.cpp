// Large blocks. `churn` allocates, touches, resizes and frees blocks of 32 KiB to 8 MiB in a small
// live set. `scan` reads many blocks of one size side by side at the same offset: where a heap
// starts them all at the same place in a page or a power of two, they fight for a few cache sets.
#include "common/checksum.hpp"
#include "common/memory.hpp"
#include "common/options.hpp"
#include "common/phases.hpp"
#include "common/random.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstring>

using bench::Checksum;
using bench::Random;

namespace {

struct Settings {
  std::uint64_t blocks = 64;
  std::uint64_t turns = 20'000;
  std::uint64_t size = 262'144;
  std::uint64_t scans = 10;
  std::uint64_t seed = 1;
  std::string_view work = "churn";
  bool times = false;
};

constexpr std::size_t kPage = 4096;

struct Block {
  char *bytes = nullptr;
  std::size_t size = 0;
};

std::size_t draw_size(Random &random) {
  const std::uint64_t exponent = random.between(15, 22);
  return random.between(std::uint64_t{1} << exponent, std::uint64_t{2} << exponent);
}

void touch(const Block &block, std::size_t from, char mark) {
  for (std::size_t at = from; at < block.size; at += kPage) block.bytes[at] = mark;
}

void replace(Block &block, Random &random, Checksum &sum) {
  if (block.bytes != nullptr) sum.add(static_cast<unsigned char>(block.bytes[0]));
  std::free(block.bytes);
  block.size = draw_size(random);
  block.bytes = bench::allocate_array<char>(block.size);
  touch(block, 0, static_cast<char>(block.size >> 12));
}

void resize(Block &block, Random &random) {
  const std::size_t old_size = block.size;
  block.size = draw_size(random);
  auto *moved = static_cast<char *>(std::realloc(block.bytes, block.size));
  if (moved == nullptr) bench::out_of_memory(block.size);
  block.bytes = moved;
  touch(block, old_size, static_cast<char>(block.size >> 12));
}

void churn(const Settings &settings, Checksum &sum) {
  Random random(settings.seed);
  auto *blocks = bench::allocate_array<Block>(settings.blocks);
  for (std::uint64_t i = 0; i < settings.blocks; ++i) blocks[i] = Block{};
  for (std::uint64_t i = 0; i < settings.turns; ++i) {
    Block &block = blocks[random.below(settings.blocks)];
    if (block.bytes != nullptr && random.chance(0.25))
      resize(block, random);
    else
      replace(block, random, sum);
  }
  for (std::uint64_t i = 0; i < settings.blocks; ++i) std::free(blocks[i].bytes);
  std::free(blocks);
}

void scan(const Settings &settings, Checksum &sum) {
  auto *blocks = bench::allocate_array<char *>(settings.blocks);
  for (std::uint64_t i = 0; i < settings.blocks; ++i) {
    blocks[i] = bench::allocate_array<char>(settings.size);
    std::memset(blocks[i], static_cast<int>(i), settings.size);
  }
  for (std::uint64_t scanned = 0; scanned < settings.scans; ++scanned) {
    std::uint64_t total = 0;
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= settings.size; at += 8) {
      for (std::uint64_t i = 0; i < settings.blocks; ++i) {
        std::uint64_t word = 0;
        std::memcpy(&word, blocks[i] + at, sizeof(word));
        total += word;
      }
    }
    sum.add(total);
  }
  for (std::uint64_t i = 0; i < settings.blocks; ++i) std::free(blocks[i]);
  std::free(blocks);
}

Settings parse(int argc, char **argv) {
  Settings settings;
  bench::Options options("large", "Large blocks, replaced and resized, or read side by side.");
  options.choice("work", settings.work, {"churn", "scan"}, "what to do");
  options.number("blocks", settings.blocks, {1, 1'000'000}, "live blocks");
  options.number("turns", settings.turns, {0, 1'000'000'000}, "churn: blocks replaced or resized");
  options.number("size", settings.size, {8, 1u << 30}, "scan: bytes a block");
  options.number("scans", settings.scans, {0, 1'000'000}, "scan: times that all are read");
  options.number("seed", settings.seed, {0, UINT64_MAX}, "seed of sizes and choices");
  options.flag("times", settings.times, "print phase times to standard error");
  options.parse(argc, argv);
  return settings;
}

} // namespace

int main(int argc, char **argv) {
  const Settings settings = parse(argc, argv);
  bench::Phases phases(settings.times);
  Checksum sum;
  if (settings.work == "churn") {
    phases.begin("churn");
    churn(settings, sum);
  } else {
    phases.begin("scan");
    scan(settings, sum);
  }
  std::printf("%s %" PRIu64 " blocks checksum %016" PRIx64 "\n", settings.work.data(),
              settings.blocks, sum.value());
}
