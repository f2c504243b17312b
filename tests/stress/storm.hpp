// What goes on beside a test: threads that allocate as hard as they can.
#pragma once

#include "stress/block.hpp"
#include "support/child.hpp"
#include "support/random.hpp"

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace stress {

// Threads that allocate and free all sizes as long as it is there, each keeping some blocks alive.
class Storm {
public:
  explicit Storm(std::size_t count) : tables_(count, std::vector<Block>(500)) {
    for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this, i] { blow(i); });
  }
  Storm(const Storm &) = delete;
  Storm &operator=(const Storm &) = delete;

  ~Storm() {
    done_ = true;
    for (std::thread &thread : threads_) thread.join();
    for (std::vector<Block> &table : tables_)
      for (Block &block : table) block.release();
  }

private:
  void blow(std::size_t self) {
    support::Random random(self);
    while (!done_) {
      Block &block = tables_[self][random.below(tables_[self].size())];
      support::require(block.start == nullptr || block.intact(), "a block of the storm is intact");
      block.release();
      block = Block::make(random.size_up_to(random.below(50) == 0 ? 400'000 : 2000), random.next());
    }
  }

  std::atomic<bool> done_{false};
  std::vector<std::vector<Block>> tables_;
  std::vector<std::thread> threads_;
};

} // namespace stress
