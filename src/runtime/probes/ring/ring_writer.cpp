#include "probes/ring/ring_writer.hpp"

#include "os/environment.hpp"
#include "os/os.hpp"

#include <bit>
#include <cstring>

namespace abut::ring {

constinit std::atomic<Recording> recording{Recording::untried};
constinit Header *shared = nullptr;
constinit std::atomic<uint64_t> small_offset{SmallBirth::kNowhere};
constinit const std::atomic<uint32_t> kNever{0};
constinit std::atomic<const std::atomic<uint32_t> *> ticks{&kNever};
constinit Head no_head;
constinit bool records_accesses = false;
constinit bool takes_accesses = false;
alignas(64) constinit std::atomic<uint64_t> epoch{0};
thread_local constinit RingWriter writer;
thread_local constinit std::atomic<uint64_t> unseen{0}; // what happens where nothing is recorded

namespace {

constexpr size_t kMostSocketName = 108;
constexpr unsigned kNap = 50; // microseconds
constexpr uint8_t kMostWaitsForRing = 100;
constexpr unsigned kNapsPerLook = 2000;   // at whether the collector is still there
constexpr size_t kRoom = kMostRecord + 1; // a time, and the record

uint32_t fork_number = 0; // of the fork that is under way; zero where its child is not recorded

void end_thread(void *) { writer.leave(); }

bool connect(uint32_t parent_session, uint32_t fork_of_parent) {
  // Read once: a program may write its title over its environment before it forks.
  static constinit char socket[kMostSocketName] = "";
  if (*socket == '\0' && !os::first_environment_value(kSocketVariable, socket, sizeof socket))
    return false;
  Hello hello;
  hello.pid = static_cast<int32_t>(os::process_id());
  hello.parent_session = parent_session;
  hello.fork_number = fork_of_parent;
  Welcome welcome;
  void *memory =
      os::share_memory(socket, &hello, sizeof hello, &welcome, sizeof welcome, kSharedBytes);
  if (memory == nullptr) return false;
  shared = static_cast<Header *>(memory);
  small_offset = SmallBirth::kNowhere;
  ticks = &shared->tick;
  records_accesses = shared->accesses;
  takes_accesses = shared->accesses && !shared->after_mark;
  return true;
}

} // namespace

bool start() {
  Recording seen = Recording::untried;
  if (!recording.compare_exchange_strong(seen, Recording::starting)) {
    for (unsigned tries = 0; recording.load() == Recording::starting; ++tries) os::relax(tries);
    return recording.load() == Recording::on;
  }
  const bool connected = connect(0, 0);
  recording.store(connected ? Recording::on : Recording::off);
  return connected;
}

void stop() {
  takes_accesses = false;
  ticks.store(&kNever);
  recording.store(Recording::off);
}

void drop_anchor(uint64_t address) {
  if (small_offset.load(std::memory_order_relaxed) != SmallBirth::kNowhere) return;
  uint64_t first = 0;
  shared->anchor.compare_exchange_strong(first, SmallBirth::anchor_around(address));
  small_offset.store(SmallBirth::offset_from(shared->anchor.load()));
}

void make_all_read_clock() {
  const uint32_t claimed = shared->claimed.load();
  for (uint32_t i = 0; i < claimed; ++i) shared->heads[i].ready.store(0);
}

// ---- writers ----

void RingWriter::put(Word first, const Word *words, size_t count) {
  *next_++ = first;
  std::memcpy(next_, words, count * sizeof(Word));
  next_ += count;
}

// Whoever resets `ready` after that does so after it is set here.
void RingWriter::write_time() {
  // An address below all others where the slow path is taken in any case.
  const uintptr_t ready = records_accesses ? 1 : reinterpret_cast<uintptr_t>(limit_);
  head_->ready.store(ready); // seen by all before the clock is read
  put(read_clock());
}

// The first chunk that is free: what was written last, and read since, is likely to be in a cache.
bool RingWriter::enter_chunk() {
  const uint64_t free =
      head_->free.load(std::memory_order_acquire) & shared->open.load(std::memory_order_relaxed);
  if (free == 0) return false;
  const auto chunk = static_cast<uint16_t>(std::countr_zero(free));
  head_->free.fetch_and(~(uint64_t{1} << chunk), std::memory_order_relaxed);
  if (limit_ != nullptr) {
    const auto at = static_cast<size_t>(next_ - begin_);
    head_->onward[at / kChunkWords].store({static_cast<uint16_t>(at % kChunkWords), chunk},
                                          std::memory_order_relaxed);
  }
  next_ = begin_ + chunk * kChunkWords;
  limit_ = next_ + (kChunkWords - kRoom);
  head_->ready.store(0, std::memory_order_relaxed);
  publish(*head_, next_);
  for (size_t ahead = 0; ahead < kAhead; ahead += kLineBytes / sizeof(Word)) fetch(next_ + ahead);
  return true;
}

bool RingWriter::prepare_access(uint64_t now) {
  if (next_ >= limit_ && !make_room()) return false;
  if (now == epoch_) return true;
  epoch_ = now;
  put(event(Kind::time, os::time_stamp()));
  return next_ < limit_ || make_room();
}

void RingWriter::count_dropped() {
  if (head_ != &no_head) add_dropped(1);
}

bool RingWriter::drops_more() {
  if (is_inside() || !is_throttled()) return false;
  // Where nothing is ever recorded again, there is nothing to check again.
  const uint32_t at_once = dropped_ == &unseen ? kMostDrops : 64;
  add_dropped(at_once);
  busy_ = at_once - 1;
  return true;
}

void RingWriter::take_back_drops() {
  if (busy_ == 0 || is_inside()) return;
  add_dropped(-int64_t{busy_});
  busy_ = 0;
}

// Where very many threads come and go, rings are soon free again: a new thread waits a little for one. Then it looks
// now and then, and drops what comes meanwhile.
bool RingWriter::claim() {
  constexpr uint32_t kTicksPerLook = 64;
  const uint32_t tick = tick_now();
  const bool has_waited = waits_for_ring_ == kMostWaitsForRing;
  while (!(has_waited && tick % kTicksPerLook != 0) && !claim_unused()) {
    if (waits_for_ring_ == kMostWaitsForRing) break;
    ++waits_for_ring_;
    os::nap(kNap);
  }
  if (head_ != &no_head) return true;
  dropped_ = &shared->dropped;
  add_dropped(1);
  throttle(tick);
  return false;
}

bool RingWriter::claim_unused() {
  for (size_t i = 0; i < kMostThreads; ++i) {
    Head &head = shared->heads[i];
    Head::State seen = Head::State::unused;
    if (head.state.load(std::memory_order_relaxed) != seen) continue;
    if (!head.state.compare_exchange_strong(seen, Head::State::taken)) continue;
    for (uint32_t claimed = shared->claimed.load(); claimed <= i;)
      if (shared->claimed.compare_exchange_weak(claimed, static_cast<uint32_t>(i) + 1)) break;
    if (thread_ == 0) thread_ = shared->threads.fetch_add(1) + 1;
    head.thread.store(thread_, std::memory_order_relaxed);
    head_ = &head;
    dropped_ = &head.dropped;
    begin_ = ring_at(shared, i);
    head.base.store(reinterpret_cast<uintptr_t>(begin_), std::memory_order_relaxed);
    head.free.store(~uint64_t{0}, std::memory_order_relaxed);
    enter_chunk();
    head.state.store(Head::State::written, std::memory_order_release);
    os::call_at_thread_exit(end_thread, this);
    return true;
  }
  return false;
}

bool RingWriter::make_room() {
  if (is_throttled()) {
    add_dropped(1);
    return false;
  }
  if (recording.load(std::memory_order_acquire) != Recording::on && !start()) {
    rest();
    return false;
  }
  if (head_ == &no_head && !claim()) return false;
  is_throttled_ = false;
  // Before the look: what is read meanwhile is seen at the next tick at the latest.
  const uint32_t tick = shared->tick.load(std::memory_order_acquire);
  for (unsigned naps = 1;; ++naps) {
    if (next_ < limit_ || enter_chunk()) return true;
    if (shared->stopped.load(std::memory_order_relaxed) != 0 ||
        (naps % kNapsPerLook == 0 && !os::process_exists(shared->collector))) {
      stop();
      return false;
    }
    if (!shared->waits) {
      add_dropped(1);
      throttle(tick);
      return false;
    }
    os::nap(kNap);
  }
}

void RingWriter::throttle(uint32_t since) {
  if (head_ != &no_head) head_->ready.store(0, std::memory_order_relaxed);
  limit_ = next_in(*head_);
  is_throttled_ = true;
  throttled_since_ = since;
}

void RingWriter::rest() {
  if (dropped_ != nullptr) take_back_drops();
  dropped_ = &unseen;
  throttle(tick_now());
}

void RingWriter::leave() {
  if (head_ == &no_head) return;
  if (!enter()) return; // a signal must not find it half gone
  head_->state.store(Head::State::left, std::memory_order_release);
  forget();
}

void RingWriter::forget() {
  const uint32_t thread = thread_;
  *this = RingWriter();
  thread_ = thread;
}

// ---- fork ----

void before_fork() {
  fork_number = 0;
  if (recording.load() != Recording::on || !shared->follow || !writer.begin()) return;
  fork_number = shared->forks.fetch_add(1) + 1;
  writer.put(event(Kind::fork, fork_number));
  writer.end();
}

void after_fork_in_child() {
  if (recording.load() != Recording::on) return;
  const uint32_t session = shared->session;
  const bool follow = shared->follow;
  stop();
  os::unmap(shared, kSharedBytes);
  shared = nullptr;
  writer = RingWriter();
  if (follow && connect(fork_number != 0 ? session : 0, fork_number))
    recording.store(Recording::on);
}

} // namespace abut::ring
