// A thread's way to the collector: where in its ring it writes next.
//
// A record costs its words, and every now and then a look at the clock: some hundred times a second, and where threads
// hand something on. Times order what different threads do. A record whose time was taken before it
// happened is still in order, as long as it needs nothing that another thread did since: who takes such a thing over
// looks at the clock after that. So a thread that frees its own block, or is given one that waits for it, need not look.
//
// Where there is no room, the rest of a tick is dropped: a comparison and a count each.
#pragma once

#include "os/collector.hpp"
#include "probes/ring/layout.hpp"

namespace abut::ring {

enum class Recording : uint8_t { untried, starting, on, off };
extern std::atomic<Recording> recording __attribute__((visibility("hidden")));

// The shared memory, where `recording` is on.
extern Header *shared __attribute__((visibility("hidden")));

// What leads from a small block's address to its distance, see SmallBirth; and has it counted from around `address`, if
// from nowhere yet.
extern std::atomic<uint64_t> small_offset __attribute__((visibility("hidden")));
void drop_anchor(uint64_t address);

// What changes from time to time, see Header::tick; and never where nothing is recorded.
extern std::atomic<const std::atomic<uint32_t> *> ticks __attribute__((visibility("hidden")));
inline uint32_t tick_now() {
  return ticks.load(std::memory_order_relaxed)->load(std::memory_order_relaxed);
}

// The head of a thread that has no ring.
extern Head no_head __attribute__((visibility("hidden")));

// Whether accesses may be recorded, too; and whether they are now.
extern bool records_accesses __attribute__((visibility("hidden")));
extern bool takes_accesses __attribute__((visibility("hidden")));

// Changes with each event of another thread that an access may come after.
extern std::atomic<uint64_t> epoch __attribute__((visibility("hidden")));

class RingWriter {
public:
  // Begins a record. False where none can be written; then it has been counted if it should have been.
  bool begin() {
    if (!enter()) [[unlikely]]
      return false;
    next_ = next_in(*head_);
    if (next_ >= limit_ && !make_room()) [[unlikely]] {
      exit();
      return false;
    }
    fetch(next_ + kAhead);
    if (head_->ready.load(std::memory_order_relaxed) == 0 || !os::has_one_thread()) write_time();
    return true;
  }
  void end() {
    publish(*head_, next_);
    exit();
  }

  // Writes a record of a word or two where there is nothing to do before and after it; or drops it, which has been counted.
  // False where it is to be written otherwise. It has no time of its own: what it takes over from other threads is said to
  // order() before. Accesses of other threads can be anywhere, so that where they are recorded, events take the slow path.
  template <typename... Words>
  bool put_ready(Words... words) {
    return inside([=, this] {
      return write_if_ready([=](Word *next) {
        ((*next++ = words), ...);
        return next;
      });
    });
  }
  // The same with the word that `find` returns; zero is none. What it finds because another thread stored it is in order:
  // that thread called make_all_read_clock() first, which is seen after `find`.
  template <typename Find>
  bool put_found(Find find) {
    return inside([=, this] {
      const Word word = find();
      if (word == 0) [[unlikely]]
        return false;
      return write_if_ready([=](Word *next) {
        *next = word;
        return next + 1;
      });
    });
  }

  // The next record comes after all that other threads did before now. Only while recording is on.
  void order() {
    if (!os::has_one_thread() && head_ != &no_head)
      head_->ready.store(0, std::memory_order_relaxed);
  }
  // As order() and put_ready().
  bool put_ordered(Word word) {
    return inside([=, this] {
      return write_if_ready([=, this](Word *next) {
        next[0] = read_clock();
        next[1] = word;
        return next + 2;
      });
    });
  }

  // What the thread writes without an order() comes after all that others wrote before this time.
  uint64_t time() const { return time_; }
  // Where others find the time that the thread's last records do not go beyond.
  std::atomic<uint64_t> *says_time_at() const { return says_time_at_; }
  void say_time_at(std::atomic<uint64_t> *place) { says_time_at_ = place; }

  // Whether a look into the ring found no room, and was not long ago, or there is no ring.
  bool is_throttled() const { return is_throttled_ && tick_now() == throttled_since_; }
  // Then records are dropped, which is counted: true for what is. As that is asked for each record of a thread
  // that makes more of them than anybody can take, many are counted at once: drops_one() is one of those.
  bool drops() { return drops_one() || drops_more(); }
  bool drops_one() {
    if (busy_ == 0 || is_inside()) return false;
    --busy_;
    return true;
  }

  // Nothing is recorded: from now on the writer alone decides that.
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
    if (!enter()) [[unlikely]]
      return;
    next_ = next_in(*head_);
    const uint64_t now = epoch.load(std::memory_order_relaxed);
    if (next_ >= limit_ || now != epoch_) [[unlikely]]
      if (!prepare_access(now)) {
        exit();
        return;
      }
    put(word);
    publish(*head_, next_);
    exit();
  }

  // The thread has ended.
  void leave();
  // The shared memory is another process's.
  void forget();

private:
  static constexpr size_t kAhead = 64; // words

  // Where the thread has nothing else to do, what `put` says; true where the record is dropped, which has been counted.
  template <typename Put>
  [[gnu::always_inline]] bool inside(Put put) {
    const Entry entry = enter_at_once();
    if (entry != Entry::inside) [[unlikely]]
      return entry == Entry::dropped;
    const bool is_put = put();
    exit();
    return is_put;
  }
  // `write` writes from its argument on, and returns where it ends.
  template <typename Write>
  [[gnu::always_inline]] bool write_if_ready(Write write) {
    Head &head = *head_; // does not change meanwhile
    Word *next = next_in(head);
    if (reinterpret_cast<uintptr_t>(next) >= head.ready.load(std::memory_order_relaxed))
        [[unlikely]]
      return false;
    fetch(next + kAhead);
    publish(head, write(next));
    return true;
  }

  // From now on, a signal handler of this thread leaves the ring alone. False in such a handler, where the record is
  // counted as dropped.
  bool enter() {
    if (busy_ != 0) [[unlikely]] {
      if (is_inside()) {
        count_dropped();
        return false;
      }
      take_back_drops();
    }
    busy_ = kInside;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return true;
  }
  // The same with one subtraction, unless this is one of many records that are dropped and counted.
  enum class Entry : uint8_t { inside, dropped, refused };
  [[gnu::always_inline]] Entry enter_at_once() {
    // One instruction for all three cases, of which compilers make seven.
    asm goto("subl $1, %0\n\tjc %l[inside]\n\tjs %l[refused]"
             :
             : "m"(busy_)
             : "memory", "cc"
             : inside, refused);
    return Entry::dropped;
  refused:
    ++busy_;
    return Entry::refused;
  inside:
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return Entry::inside;
  }
  bool is_inside() const { return busy_ > kMostDrops; }
  static Word *next_in(const Head &head) {
    return reinterpret_cast<Word *>(head.written.load(std::memory_order_relaxed));
  }
  static void publish(Head &head, const Word *next) {
    head.written.store(reinterpret_cast<uintptr_t>(next), std::memory_order_release);
  }
  void exit() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    busy_ = 0;
  }
  // What lies ahead was read by the collector, on another processor: it is asked for before it is needed. Behind the last
  // ring, this asks for nothing.
  static void fetch(const Word *word) { asm volatile("prefetchw %0" ::"m"(*word)); }
  bool make_room();
  bool claim();
  bool claim_unused();
  bool prepare_access(uint64_t now);
  void write_time();
  // The record of the time.
  Word read_clock() {
    time_ = os::time_stamp_now();
    if (says_time_at_ != nullptr) raise(*says_time_at_, time_);
    return event(Kind::time, time_);
  }
  // The only other writer is the previous owner, and it ends.
  static void raise(std::atomic<uint64_t> &place, uint64_t time) {
    uint64_t before = place.load(std::memory_order_relaxed);
    while (before < time && !place.compare_exchange_weak(before, time)) {
    }
  }
  bool enter_chunk();
  void count_dropped();
  void add_dropped(int64_t count) {
    if (head_ == &no_head) // counted for all threads that have no ring
      dropped_->fetch_add(static_cast<uint64_t>(count), std::memory_order_relaxed);
    else // the only writer
      dropped_->store(dropped_->load(std::memory_order_relaxed) + static_cast<uint64_t>(count),
                      std::memory_order_relaxed);
  }
  bool drops_more();
  void take_back_drops();
  void throttle(uint32_t since);

  Head *head_ = &no_head;
  Word *limit_ = nullptr;                    // of the chunk: below it, a record has room
  Word *next_ = nullptr;                     // while a longer record is written
  std::atomic<uint64_t> *dropped_ = nullptr; // in the head, or `unseen`
  // How many records are yet to be dropped that were counted. Below zero the thread is inside one, and what a signal
  // handler does then cannot be recorded. So a record asks for both, and says that it begins, with one subtraction.
  static constexpr uint32_t kInside = ~uint32_t{0};
  static constexpr uint32_t kMostDrops = uint32_t{1} << 30;
  uint32_t busy_ = 0;
  uint64_t time_ = 0;
  std::atomic<uint64_t> *says_time_at_ = nullptr;
  uint64_t epoch_ = 0;
  uint32_t throttled_since_ = 0; // a tick
  bool is_throttled_ = false;
  uint8_t waits_for_ring_ = 0;
  uint32_t thread_ = 0;
  Word *begin_ = nullptr;
};

extern thread_local constinit RingWriter writer
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// Whether there may be something to record.
inline bool is_recording() { return recording.load(std::memory_order_relaxed) != Recording::off; }

// Connects with the collector where one is there, which is tried once.
bool start();
// Every thread that sees what was recorded until now reads the clock after that.
void make_all_read_clock();
// The collector is gone.
void stop();

// Around a fork.
void before_fork();
void after_fork_in_child();

} // namespace abut::ring
