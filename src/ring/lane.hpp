// A thread's way to the collector: where in its ring it writes next.
//
// A record costs its words, and every now and then a look at the clock: some thousand times a second, and where threads
// hand something on. Time is what tells the order of what different threads do. A record whose time was taken before it
// happened is still in order, as long as it needs nothing that another thread did since: who takes such a thing over
// looks at the clock after that. So a thread that frees its own block, or is given one that waits for it, need not look;
// nor need who takes something over while nobody else has looked.
//
// Where there is no room, the rest of a tick is dropped: a comparison and a count each.
#pragma once

#include "os/collector.hpp"
#include "ring/layout.hpp"

namespace abut::ring {

enum class Recording : uint8_t { untried, starting, on, off };
extern std::atomic<Recording> recording __attribute__((visibility("hidden")));

// The shared memory, where `recording` is on.
extern Header *shared __attribute__((visibility("hidden")));

// What changes from time to time, see Header::tick; and never where nothing is recorded.
extern std::atomic<const std::atomic<uint32_t> *> ticks __attribute__((visibility("hidden")));
inline uint32_t tick_now() {
  return ticks.load(std::memory_order_relaxed)->load(std::memory_order_relaxed);
}

// Whether accesses may be recorded, too; and whether they are now.
extern bool records_accesses __attribute__((visibility("hidden")));
extern bool takes_accesses __attribute__((visibility("hidden")));

// Times that threads of this process have looked at the clock for their records. While that is as it was when a thread looked
// last, no record is there with a later time than the one that it has.
extern std::atomic<uint64_t> looks __attribute__((visibility("hidden")));

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
    const uint32_t tick = tick_now();
    if (tick != tick_ || !is_in_order()) stamp(tick);
    return true;
  }
  void end() {
    publish();
    exit();
  }

  // Whether there is nothing to do before and after a record of a word or two but to keep signal handlers away; and such
  // a record. It has no time of its own: what it takes over from other threads is said to order() before. Accesses of
  // other threads can be anywhere, so that where they are recorded, events take the longer way.
  bool is_ready() const {
    return next_ < limit_ && !inside_ && tick_now() == tick_ && !records_accesses;
  }
  template <typename... Words>
  void put_ready(Words... words) {
    enter();
    fetch_ahead();
    put(words...);
    publish();
    exit();
  }

  // The next record comes after all that other threads did before now. Only while recording is on.
  void order() {
    if (!is_in_order()) tick_ = tick_now() - 1;
  }

  // Whether a look into the ring found no room, and was not long ago, or there is no ring: then what there is to tell is
  // dropped.
  bool has_room() const { return next_ < limit_; }
  bool is_deaf() const { return is_deaf_ && tick_now() == deaf_since_; }
  void drop() { // nobody else counts there
    dropped_->store(dropped_->load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  // Nothing is recorded: from now on that is told by a look at the lane alone.
  void rest();

  // Between the two, the record.
  void put(Word first) { *next_++ = first; }
  void put(Word first, Word second) {
    next_[0] = first;
    next_[1] = second;
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
    publish();
    exit();
  }

  // The thread has ended.
  void leave();
  // The shared memory is another process's.
  void forget();

private:
  static constexpr size_t kAhead = 64; // words

  bool is_in_order() const {
    return os::has_one_thread() ||
           (!records_accesses && looks.load(std::memory_order_acquire) == looks_);
  }
  void publish() {
    head_->written.store(reinterpret_cast<uintptr_t>(next_), std::memory_order_release);
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
  // What lies ahead was read by the collector, on another processor: it is asked for before it is needed. Behind the last
  // ring, this asks for nothing.
  static void fetch([[maybe_unused]] const Word *word) {
#if defined(__x86_64__)
    asm volatile("prefetchw %0" ::"m"(*word));
#endif
  }
  void fetch_ahead() const { fetch(next_ + kAhead); }
  bool make_room();
  bool claim();
  bool claim_unused();
  bool prepare_access(uint64_t now);
  void stamp(uint32_t tick);
  bool enter_chunk();
  void count_dropped();
  void fall_deaf(uint32_t since);

  Word *next_ = nullptr;
  Word *limit_ = nullptr; // below it, a record has room
  Head *head_ = nullptr;
  std::atomic<uint64_t> *dropped_ = nullptr; // in the head, or where nobody looks
  uint64_t epoch_ = 0;
  uint64_t looks_ = 0; // at the last look of its own
  uint32_t tick_ = 0;
  uint32_t deaf_since_ = 0; // a tick
  bool is_deaf_ = false;
  bool inside_ = false; // a record: what a signal handler does then cannot be recorded
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
