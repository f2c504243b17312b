// Carries out operations on the heap and holds every result against a ledger.
#pragma once

#include "fuzz/ledger.hpp"
#include "fuzz/operation.hpp"

#include <cstdint>
#include <mutex>
#include <vector>

namespace fuzz {

// Where threads leave blocks for one another. Whoever takes one frees it as if it were its own.
class Exchange {
public:
  void leave(const Entry &entry);
  // An entry with a null start when nothing is there.
  [[nodiscard]] Entry take(std::uint64_t wish);

private:
  std::mutex mutex_;
  std::vector<Entry> entries_;
};

class HeapModel {
public:
  // `first_key` distinguishes this model's contents from every other's. Overlap can be checked only by a
  // model that sees all blocks, so not when several run at once.
  HeapModel(Exchange &exchange, std::uint64_t first_key, bool checks_overlap)
      : exchange_(exchange), ledger_(checks_overlap), next_key_(first_key) {}
  HeapModel(const HeapModel &) = delete;
  HeapModel &operator=(const HeapModel &) = delete;
  ~HeapModel(); // frees what is live, each block verified

  void perform(const Operation &operation);

private:
  void allocate(const Operation &operation, std::size_t slot);
  void resize(const Operation &operation);
  void release(std::size_t slot);
  void hand_over(std::size_t slot);
  [[nodiscard]] std::size_t bounded(std::size_t size) const;

  Exchange &exchange_;
  Ledger ledger_;
  std::uint64_t next_key_;
};

} // namespace fuzz
