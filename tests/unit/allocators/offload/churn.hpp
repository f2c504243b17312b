// Random requests to a service, whose blocks are held to keep what is written to them.
#pragma once

#include "allocators/offload/service.hpp"
#include "support/child.hpp"
#include "support/random.hpp"

#include <chrono>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

namespace abut::offload {

// `steps` requests, of 1 to 5000 bytes and most of them short; at the end all blocks are freed. Ends the process where a
// block is not what it should be.
inline void churn(Service &served, unsigned seed, int steps) {
  support::Random random(seed);
  struct Block {
    unsigned char *memory;
    size_t bytes;
  };
  std::vector<Block> live;
  for (int step = 0; step < steps; ++step) {
    if (live.size() > 300 || (!live.empty() && random.below(2) == 0)) {
      const size_t at = random.below(live.size());
      const Block block = live[at];
      const auto mark = static_cast<unsigned char>(block.bytes);
      support::require(block.memory[0] == mark && block.memory[block.bytes - 1] == mark,
                       "a block keeps what is written to it");
      served.release(block.memory);
      live[at] = live.back();
      live.pop_back();
      continue;
    }
    const size_t bytes = 1 + random.below(random.below(10) == 0 ? 5000 : 600);
    auto *memory = static_cast<unsigned char *>(served.allocate(bytes, 16));
    support::require(memory != nullptr, "there is memory");
    std::memset(memory, static_cast<int>(bytes), bytes);
    live.push_back({memory, bytes});
  }
  for (const Block &block : live) served.release(block.memory);
}

// Four threads at once leave nothing in the heap that was not there after a first one.
inline void expect_nothing_left(Service &served) {
  std::thread([&] { churn(served, 9, 1000); }).join();
  const size_t before = served.counts().live_blocks();
  std::vector<std::thread> threads;
  for (unsigned seed = 1; seed <= 4; ++seed)
    threads.emplace_back([&served, seed] { churn(served, seed, 20'000); });
  for (std::thread &thread : threads) thread.join();
  support::require(served.counts().live_blocks() == before, "threads leave nothing behind");
}

// However busy the machine is, it happens in the end.
inline bool comes_true(const std::function<bool()> &claim) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!claim()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

} // namespace abut::offload
