// Runs a list of operations in their order, each on the thread that it names: so that a block is
// made by one thread and freed by another, and yet every run of the same list is the same.
#pragma once

#include "fuzz/heap_model.hpp"

#include <cstddef>
#include <cstdint>
#include <semaphore>
#include <span>
#include <thread>
#include <vector>

namespace fuzz {

class Crew {
public:
  explicit Crew(std::size_t threads);
  Crew(const Crew &) = delete;
  Crew &operator=(const Crew &) = delete;
  ~Crew();

  // A tail shorter than an operation is left out.
  void perform(std::span<const std::uint8_t> bytes);

private:
  struct Worker {
    std::binary_semaphore called{0};
    std::thread thread;
  };

  void work(Worker &self);

  Exchange exchange_;
  HeapModel model_{exchange_, 1, true};
  Operation current_{};
  bool dismissed_ = false;
  std::binary_semaphore finished_{0};
  std::vector<Worker> workers_; // the caller is thread 0, these are 1 and on
};

} // namespace fuzz
