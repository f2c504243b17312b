// Small blocks that threads write to again and again: a heap that puts blocks of two threads on one
// line makes them fight for it. `active`: each thread allocates its own. `passive`: each begins with
// one that the first thread allocated, frees it, and must not go on sharing its line.
#include "common/memory.hpp"
#include "common/options.hpp"

#include <cinttypes>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

struct Settings {
  std::uint64_t threads = 2;
  std::uint64_t turns = 20'000;
  std::uint64_t writes = 1'000;
  std::uint64_t size = 8;
  std::string_view style = "active";
};

// Every byte is read and written, and the compiler may leave out none of it.
std::uint64_t write_to(volatile unsigned char *block, const Settings &settings) {
  for (std::uint64_t i = 0; i < settings.writes; ++i)
    for (std::uint64_t at = 0; at < settings.size; ++at)
      block[at] = static_cast<unsigned char>(block[at] + 1);
  return block[settings.size - 1];
}

unsigned char *make_block(const Settings &settings) {
  auto *block = bench::allocate_array<unsigned char>(settings.size);
  for (std::uint64_t at = 0; at < settings.size; ++at) block[at] = 0;
  return block;
}

Settings parse(int argc, char **argv) {
  Settings settings;
  bench::Options options("sharing", "Threads write to small blocks of their own.");
  options.number("threads", settings.threads, {1, 1024}, "threads");
  options.number("turns", settings.turns, {1, 1'000'000'000}, "blocks a thread");
  options.number("writes", settings.writes, {1, 1'000'000'000}, "times each byte is written to");
  options.number("size", settings.size, {1, 4096}, "bytes of a block");
  options.choice("style", settings.style, {"active", "passive"}, "who allocates the first blocks");
  options.parse(argc, argv);
  return settings;
}

} // namespace

int main(int argc, char **argv) {
  const Settings settings = parse(argc, argv);
  std::vector<unsigned char *> given(settings.threads, nullptr);
  if (settings.style == "passive")
    for (unsigned char *&block : given) block = make_block(settings);
  std::vector<std::uint64_t> sums(settings.threads);
  std::vector<std::thread> threads;
  for (std::uint64_t mine = 0; mine < settings.threads; ++mine)
    threads.emplace_back([&, mine] {
      std::free(given[mine]);
      std::uint64_t sum = 0;
      for (std::uint64_t turn = 0; turn < settings.turns; ++turn) {
        unsigned char *block = make_block(settings);
        sum += write_to(block, settings);
        std::free(block);
      }
      sums[mine] = sum;
    });
  for (std::thread &thread : threads) thread.join();
  std::uint64_t sum = 0;
  for (const std::uint64_t each : sums) sum += each;
  std::printf("threads %" PRIu64 " turns %" PRIu64 " sum %" PRIu64 "\n", settings.threads,
              settings.turns, sum);
}
