#include "record/ring_drain.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace abut::record {

using ring::Kind;
using ring::Word;

namespace {

// In readings of the time stamp counter: far longer than a store takes to be seen by another processor.
constexpr uint64_t kGrace = 200'000;

} // namespace

size_t words_of(Word first) {
  if ((first & ring::kEventBit) == 0) return 1;
  const uint64_t small = first & ring::kSmallMask;
  switch (ring::kind_of(first)) {
  case Kind::time:
  case Kind::free:
  case Kind::resize:
  case Kind::stayed:
  case Kind::fork:
  case Kind::recording: return 1;
  case Kind::allocate:
  case Kind::resized:
  case Kind::site:
  case Kind::range:
  case Kind::near:
  case Kind::touch: return 2;
  case Kind::unload: return 3;
  case Kind::context: return 1 + (small >> 16);
  case Kind::module_: return 4 + (small + sizeof(Word) - 1) / sizeof(Word);
  }
  return 0;
}

void RingDrain::find_rings() {
  for (size_t i = 0; i < ring::kMostThreads; ++i) {
    ring::Head &head = header_->heads[i];
    if (head.state.load(std::memory_order_acquire) < ring::Head::State::written) continue;
    if (rings_.contains(&head)) continue;
    auto queue = std::make_shared<RingQueue>();
    queue->thread = head.thread.load(std::memory_order_relaxed);
    rings_[&head] = {ring::ring_at(header_, i, header_->ring_words), 0, 0, queue, {}};
    const std::lock_guard lock(mutex_);
    queues_.push_back(std::move(queue));
  }
}

size_t RingDrain::drain(uint64_t now, bool ended) {
  const uint64_t settled = ended ? kNever : now - std::min(now, kGrace);
  find_rings();
  renew_allowance(now);
  const bool takes = ended || allowance_ > 0;
  size_t total = 0;
  for (auto at = rings_.begin(); at != rings_.end();) {
    total += drain(*at->first, at->second, takes, settled, ended);
    // A queue that is settled for ever is the reader's alone.
    at = at->second.queue->settled == kNever ? rings_.erase(at) : std::next(at);
  }
  allowance_ -= static_cast<double>(total);
  horizon_.store(settled, std::memory_order_release);
  header_->tick.fetch_add(1, std::memory_order_release);
  return total;
}

void RingDrain::renew_allowance(uint64_t now) {
  const uint64_t passed = now - std::min(now, std::exchange(renewed_, now));
  allowance_ = std::min(allowance_ + static_cast<double>(passed) * budget_.words_a_stamp,
                        budget_.most_at_once);
}

// How far the writer has come, in words from the ring's begin; nonsense counts as nought.
size_t RingDrain::written_of(const ring::Head &head) const {
  const uintptr_t bytes =
      head.written.load(std::memory_order_acquire) - head.base.load(std::memory_order_relaxed);
  return bytes <= header_->ring_words * sizeof(Word) ? bytes / sizeof(Word) : 0;
}

size_t RingDrain::drain(ring::Head &head, Ring &ring, bool takes, uint64_t settled, bool ended) {
  const bool left = head.state.load(std::memory_order_acquire) == ring::Head::State::left;
  const size_t written = written_of(head);
  const size_t before = ring.drained;
  // What is held may wait for the first word of a ring that nothing is held of.
  const bool is_waited_for = ring.queue->held.load() == 0;
  if (takes && (ended || is_waited_for || held_words_.load() < budget_.held)) {
    if (written < ring.at) {
      take_words(ring, std::min<size_t>(head.round_end.load(std::memory_order_relaxed),
                                        header_->ring_words));
      ring.at = 0;
    }
    take_words(ring, written);
    head.read.store(ring.at, std::memory_order_release);
  }
  const bool empty = ring.at == written;
  const size_t count = ring.drained - before;
  ring.queue->held += count;
  held_words_ += count;
  const bool done = empty && (ended || left);
  if (left && empty) release(head);
  // The reader may have to wait for a processor while it has the queues: then they get it all another time, and the ring
  // is emptied meanwhile.
  std::unique_lock lock(mutex_, std::defer_lock);
  if (done)
    lock.lock();
  else if (!lock.try_lock())
    return count;
  std::move(ring.taken.begin(), ring.taken.end(), std::back_inserter(ring.queue->chunks));
  ring.taken.clear();
  if (done)
    ring.queue->settled = kNever;
  else if (empty)
    ring.queue->settled = settled;
  return count;
}

void RingDrain::take_words(Ring &ring, size_t end) {
  if (end <= ring.at) return;
  ring.taken.emplace_back(ring.words + ring.at, ring.words + end);
  ring.drained += end - ring.at;
  ring.at = end;
}

void RingDrain::release(ring::Head &head) {
  lost_ += head.dropped.exchange(0);
  head.read.store(0, std::memory_order_relaxed);
  head.state.store(ring::Head::State::unused, std::memory_order_release);
}

uint64_t RingDrain::lost() const {
  uint64_t lost = lost_ + header_->dropped.load();
  for (const ring::Head &head : header_->heads) lost += head.dropped.load();
  return lost;
}

} // namespace abut::record
