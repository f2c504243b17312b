// Takes what threads write out of their rings, so that there is room again, and queues it for who reads it.
//
// Writers of short records can be faster than a reader that looks up objects and compresses; so the rings are emptied by
// a thread that does nothing else, and what is queued is bounded.
#pragma once

#include "collect/rings/rate_limiter.hpp"
#include "collect/rings/word_store.hpp"
#include "probes/ring/layout.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace abut::record {

// What came out of one ring: whole records, in the order in which its thread wrote them.
struct RingQueue {
  uint32_t thread = 0;
  std::deque<KeptWords> pieces;
  uint64_t settled = 0;        // no record with an earlier time is still to come
  std::atomic<size_t> held{0}; // words that were drained, and not yet read
  static constexpr size_t kNotRead = ~size_t{0};
  size_t reads_as = kNotRead; // the reader's: which of its rings
};

class RingDrain {
public:
  RingDrain(ring::Header *header, DrainBudget budget, std::shared_ptr<SlabPool> pool)
      : header_(header), most_held_(budget.held), limiter_(budget), store_(std::move(pool)) {}

  // Empties all rings once, `now` being the clock's reading before the call; how many words that were. With
  // `ended`, there are no writers any more.
  size_t drain(uint64_t now, bool ended);

  // For the reader, in another thread. Calls `visit` for each queue, and drops those that are done.
  template <typename Visit>
  void each_queue(Visit visit) {
    const std::lock_guard lock(mutex_);
    for (const auto &queue : queues_) visit(queue);
    std::erase_if(queues_, [](const auto &queue) { return queue->settled == kNever; });
  }
  // Nothing with an earlier time comes from a ring that was never seen.
  uint64_t horizon() const { return horizon_.load(std::memory_order_acquire); }
  void took(RingQueue &queue, size_t words) {
    queue.held -= words;
    held_words_ -= words;
  }
  // Words that were drained, and not yet read.
  size_t held() const { return held_words_.load(std::memory_order_relaxed); }

  // Whence small blocks are counted.
  uint64_t anchor() const { return header_->anchor.load(std::memory_order_relaxed); }

  // Records that found no room.
  uint64_t lost() const;

  static constexpr uint64_t kNever = ~uint64_t{0};

private:
  struct Ring {
    ring::Word *words = nullptr;
    size_t at = 0;      // from the ring's begin
    size_t drained = 0; // words, ever
    std::shared_ptr<RingQueue> queue;
    std::vector<KeptWords> taken; // that are not yet in the queue
  };

  size_t claimed() const;
  void find_rings();
  size_t drain(ring::Head &head, Ring &ring, bool takes, uint64_t settled, bool ended);
  static size_t written_of(const ring::Head &head);
  void take(ring::Head &head, Ring &ring, size_t written);
  void take_words(Ring &ring, size_t end);
  void release(ring::Head &head);

  ring::Header *header_;
  size_t most_held_; // words
  RateLimiter limiter_;
  uint64_t drained_ = 0; // words, ever
  WordStore store_;
  std::map<ring::Head *, Ring> rings_;
  uint64_t lost_ = 0;
  std::atomic<size_t> held_words_{0};
  std::atomic<uint64_t> horizon_{0};

  std::mutex mutex_;
  std::vector<std::shared_ptr<RingQueue>> queues_;
};

// How long a record is that begins so; zero where there is no such record.
size_t words_of(ring::Word first);

} // namespace abut::record
