#include "ring/lane.hpp"

#include "os/os.hpp"

#include <cstring>

namespace abut::ring {

constinit std::atomic<Recording> recording{Recording::untried};
constinit Header *shared = nullptr;
constinit bool records_accesses = false;
constinit bool takes_accesses = false;
alignas(64) constinit std::atomic<uint64_t> looks{1};
alignas(64) constinit std::atomic<uint64_t> epoch{0};
thread_local constinit Lane lane;

namespace {

constexpr size_t kMostSocketName = 108;
constexpr unsigned kNap = 50; // microseconds
constexpr uint8_t kMostWaitsForRing = 100;
constexpr unsigned kNapsPerLook = 2000;   // at whether the collector is still there
constexpr size_t kWorthTurning = 1 << 17; // words: far more than a tick's, mostly
constexpr size_t kRoom = kMostRecord + 1; // a time, and the record

uint32_t fork_number = 0; // of the fork that is under way; nought where its child is not recorded

void end_thread(void *) { lane.leave(); }

bool connect(uint32_t parent_session, uint32_t fork_of_parent) {
  char socket[kMostSocketName];
  if (!os::environment_variable(kSocketVariable, socket, sizeof socket)) return false;
  Hello hello;
  hello.pid = static_cast<int32_t>(os::process_id());
  hello.parent_pid = static_cast<int32_t>(os::parent_process_id());
  hello.parent_session = parent_session;
  hello.fork_number = fork_of_parent;
  Welcome welcome;
  const auto bytes = [](const void *answer) {
    return bytes_of(static_cast<const Welcome *>(answer)->ring_words);
  };
  void *memory = os::share_memory(socket, &hello, sizeof hello, &welcome, sizeof welcome, bytes);
  if (memory == nullptr) return false;
  shared = static_cast<Header *>(memory);
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
  recording.store(Recording::off);
}

// ---- lanes ----

void Lane::put(Word first, const Word *words, size_t count) {
  *next_++ = first;
  std::memcpy(next_, words, count * sizeof(Word));
  next_ += count;
}

void Lane::stamp(uint32_t tick) {
  tick_ = tick;
  turn_back();
  // A look of another thread between the two may have found a later time: then this is not the last one.
  const uint64_t before = looks.load(std::memory_order_acquire);
  put(event(Kind::time, os::time_stamp_now()));
  const bool is_last = looks.fetch_add(1) == before;
  looks_ = before + (is_last ? 1 : 0);
}

// As long as the collector keeps up, the ring's begin alone is used, which fits into a cache beside what the program has
// there, and the rest stays untouched.
void Lane::turn_back() {
  const auto at = static_cast<size_t>(next_ - begin_);
  const size_t read = head_->read.load(std::memory_order_acquire);
  if (read > at || read < kWorthTurning || at - read >= kWorthTurning) return;
  begin_anew(at);
  limit_ = begin_ + (read - kRoom);
}

void Lane::begin_anew(size_t round_end) {
  head_->round_end.store(round_end, std::memory_order_relaxed);
  next_ = begin_;
  publish();
}

bool Lane::prepare_access(uint64_t now) {
  if (next_ >= limit_ && !make_room()) return false;
  if (now == epoch_) return true;
  epoch_ = now;
  put(event(Kind::time, os::time_stamp()));
  return next_ < limit_ || make_room();
}

void Lane::count_dropped() {
  if (head_ != nullptr) drop();
}

// Where very many threads come and go, rings are soon free again: a new thread waits a little for one.
bool Lane::claim() {
  while (!claim_unused()) {
    if (waits_for_ring_ == kMostWaitsForRing) {
      shared->dropped.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    ++waits_for_ring_;
    os::nap(kNap);
  }
  return true;
}

bool Lane::claim_unused() {
  for (size_t i = 0; i < kMostThreads; ++i) {
    Head &head = shared->heads[i];
    Head::State seen = Head::State::unused;
    if (!head.state.compare_exchange_strong(seen, Head::State::taken)) continue;
    if (thread_ == 0) thread_ = shared->threads.fetch_add(1) + 1;
    head.thread.store(thread_, std::memory_order_relaxed);
    head_ = &head;
    begin_ = next_ = ring_at(shared, i, shared->ring_words);
    head.base.store(reinterpret_cast<uintptr_t>(begin_), std::memory_order_relaxed);
    publish();
    head.state.store(Head::State::written, std::memory_order_release);
    os::call_recorder_at_thread_exit(end_thread, this);
    return true;
  }
  return false;
}

bool Lane::make_room() {
  if (recording.load(std::memory_order_acquire) != Recording::on && !start()) return false;
  if (head_ == nullptr && !claim()) return false;
  if (is_deaf()) {
    drop();
    return false;
  }
  is_deaf_ = false;
  // Before the look: what is read meanwhile is seen at the next tick at the latest.
  const uint32_t tick = shared->tick.load(std::memory_order_acquire);
  for (unsigned naps = 1;; ++naps) {
    const auto words = static_cast<size_t>(shared->ring_words);
    const auto at = static_cast<size_t>(next_ - begin_);
    const size_t read = head_->read.load(std::memory_order_acquire);
    const size_t bound = read > at ? read - 1 : words;
    if (at + kRoom <= bound) {
      limit_ = begin_ + (bound - kRoom + 1);
      return true;
    }
    if (read <= at && read > kRoom) {
      begin_anew(at);
      continue;
    }
    if (shared->stopped.load(std::memory_order_relaxed) != 0 ||
        (naps % kNapsPerLook == 0 && !os::process_exists(shared->collector))) {
      stop();
      return false;
    }
    if (!shared->waits) {
      drop();
      limit_ = next_;
      is_deaf_ = true;
      deaf_since_ = tick;
      return false;
    }
    os::nap(kNap);
  }
}

void Lane::leave() {
  if (head_ == nullptr) return;
  inside_ = true; // a signal must not find it half gone
  head_->state.store(Head::State::left, std::memory_order_release);
  forget();
}

void Lane::forget() {
  const uint32_t thread = thread_;
  *this = Lane();
  thread_ = thread;
}

// ---- fork ----

void before_fork() {
  fork_number = 0;
  if (recording.load() != Recording::on || !shared->follow || !lane.begin()) return;
  fork_number = shared->forks.fetch_add(1) + 1;
  lane.put(event(Kind::fork, fork_number));
  lane.end();
}

void after_fork_in_child() {
  if (recording.load() != Recording::on) return;
  const uint32_t session = shared->session;
  const bool follow = shared->follow;
  const size_t bytes = bytes_of(shared->ring_words);
  stop();
  os::unmap(shared, bytes);
  shared = nullptr;
  lane = Lane();
  if (follow && connect(fork_number != 0 ? session : 0, fork_number))
    recording.store(Recording::on);
}

} // namespace abut::ring
