// Copies of what came out of rings, until they are read.
//
// The program runs beside this, and shares caches and memory with it. So the copies go past the caches, into memory that
// is used again and again: fresh pages would have to be cleared first, and that through the caches. So a
// process of which little is kept, as most are that a script starts, takes none of that.
#pragma once

#include "probes/ring/layout.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace abut::record {

// Where large pieces of memory wait to be used again. For any thread.
class SlabPool : public std::enable_shared_from_this<SlabPool> {
public:
  static constexpr size_t kSlabWords = size_t{1} << 18; // a huge page

  ~SlabPool();
  // Back in the pool once it has no user. Throws std::bad_alloc where memory is exhausted.
  std::shared_ptr<ring::Word> take();

private:
  static constexpr size_t kMostWaiting = 32;
  void put_back(ring::Word *slab);

  std::mutex mutex_;
  std::vector<ring::Word *> waiting_;
};

// Some words, and what keeps them there.
struct KeptWords {
  std::shared_ptr<const ring::Word> slab;
  std::span<const ring::Word> words;
};

class WordStore {
public:
  explicit WordStore(std::shared_ptr<SlabPool> pool) : pool_(std::move(pool)) {}

  // Not more than a slab holds.
  KeptWords keep(std::span<const ring::Word> words);

private:
  std::shared_ptr<SlabPool> pool_;
  size_t few_left_ = size_t{1} << 13; // words that may yet have memory of their own
  std::shared_ptr<ring::Word> slab_;
  size_t used_ = SlabPool::kSlabWords;
};

} // namespace abut::record
