// A thread's way to the collector: where in its ring it writes next.
//
// A record costs its words, and every now and then a look at the clock: of a process of one thread, a thousand times a
// second; of others, with each record, since time is what tells the order of what different threads do.
#pragma once

#include "os/collector.hpp"
#include "ring/layout.hpp"

namespace abut::ring {

enum class Recording : uint8_t { untried, starting, on, off };
extern std::atomic<Recording> recording __attribute__((visibility("hidden")));

// The shared memory, where `recording` is on.
extern Header *shared __attribute__((visibility("hidden")));

// Whether accesses are recorded, too.
extern bool takes_accesses __attribute__((visibility("hidden")));

// Changes with each event of another thread that an access may come after.
extern std::atomic<uint64_t> epoch __attribute__((visibility("hidden")));

class Lane {
public:
  // Begins a record. False where none can be written; then it has been counted if it should have been.
  bool begin() {
    if (inside_) [[unlikely]] {
      count_dropped();
      return false;
    }
    enter();
    if (next_ >= limit_ && !make_room()) [[unlikely]] {
      inside_ = false;
      return false;
    }
    fetch_ahead();
    const uint32_t tick = shared->tick.load(std::memory_order_relaxed);
    const bool alone = os::has_one_thread();
    if (tick != tick_ || !alone || !was_alone_) stamp(tick, alone);
    return true;
  }
  void end() {
    if (!was_alone_) head_->busy.store(0, std::memory_order_release);
    exit();
  }

  // Whether there is nothing to do before and after a record of a word or two but to keep signal handlers away, as it
  // mostly is in a process of one thread; and such a record.
  bool is_ready() const {
    return next_ < limit_ && !inside_ && was_alone_ && os::has_one_thread() &&
           shared->tick.load(std::memory_order_relaxed) == tick_;
  }
  template <typename... Words>
  void put_ready(Words... words) {
    enter();
    fetch_ahead();
    put(words...);
    exit();
  }

  // Between the two, the record: its first word last.
  void put(Word first) {
    store(next_, first);
    ++next_;
  }
  void put(Word first, Word second) {
    store(next_ + 1, second);
    store(next_, first);
    next_ += 2;
  }
  // Longer ones; `count` words behind the first, at most kMostRecord altogether.
  void put(Word first, const Word *words, size_t count);

  // An access, which needs no time of its own unless another thread did something meanwhile.
  void access(Word word) {
    if (inside_) [[unlikely]] {
      count_dropped();
      return;
    }
    enter();
    const uint64_t now = epoch.load(std::memory_order_relaxed);
    if (next_ >= limit_ || now != epoch_) [[unlikely]]
      if (!prepare_access(now)) {
        inside_ = false;
        return;
      }
    put(word);
    exit();
  }

  // The thread has ended.
  void leave();
  // The shared memory is another process's.
  void forget();

private:
  static constexpr size_t kAhead = 64; // words

  static void store(Word *at, Word word) {
    std::atomic_ref(*at).store(word, std::memory_order_release);
  }
  // For the eyes of signal handlers of this thread, and nobody else's.
  void enter() {
    inside_ = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  void exit() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    inside_ = false;
  }
  // What lies ahead was made nought by the collector, on another processor: it is asked for before it is needed. Behind
  // the last ring, it asks for nothing.
  void fetch_ahead() const {
#if defined(__x86_64__)
    asm volatile("prefetchw %0" ::"m"(next_[kAhead]));
#endif
  }
  bool make_room();
  bool claim();
  bool claim_unused();
  bool prepare_access(uint64_t now);
  void stamp(uint32_t tick, bool alone);
  void count_dropped();

  Word *next_ = nullptr;
  Word *limit_ = nullptr; // below it, a record has room
  Head *head_ = nullptr;
  uint64_t epoch_ = 0;
  uint32_t tick_ = 0;
  bool inside_ = false; // a record: what a signal handler does then cannot be recorded
  bool was_alone_ = false;
  uint8_t waits_for_ring_ = 0;
  uint32_t thread_ = 0;
  Word *begin_ = nullptr;
};

extern thread_local constinit Lane lane
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// Whether there may be something to record.
inline bool is_recording() { return recording.load(std::memory_order_relaxed) != Recording::off; }

// Connects with the collector where one is there, which is tried once.
bool start();
// The collector is gone.
void stop();

// Around a fork.
void before_fork();
void after_fork_in_child();

} // namespace abut::ring
