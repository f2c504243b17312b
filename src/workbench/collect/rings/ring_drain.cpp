#include "collect/rings/ring_drain.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace abut::record {

using ring::Kind;
using ring::Word;

namespace {

// In readings of the time stamp counter: far longer than a store takes to be seen by another processor.
constexpr uint64_t kGrace = 200'000;
// Of each ring, while nothing is taken: a program that allocates without end is not to write all over memory, too.
constexpr uint64_t kFirstChunk = 0x1;

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
  case Kind::recording:
  case Kind::small: return 1;
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
  for (size_t i = 0; i < claimed(); ++i) {
    ring::Head &head = header_->heads[i];
    if (head.state.load(std::memory_order_acquire) < ring::Head::State::written) continue;
    if (rings_.contains(&head)) continue;
    auto queue = std::make_shared<RingQueue>();
    queue->thread = head.thread.load(std::memory_order_relaxed);
    rings_[&head] = {ring::ring_at(header_, i), 0, 0, queue, {}};
    const std::lock_guard lock(mutex_);
    queues_.push_back(std::move(queue));
  }
}

size_t RingDrain::claimed() const {
  return std::min<size_t>(header_->claimed.load(std::memory_order_acquire), ring::kMostThreads);
}

size_t RingDrain::drain(uint64_t now, bool ended) {
  const uint64_t settled = ended ? kNever : now - std::min(now, kGrace);
  find_rings();
  const bool takes = limiter_.renew(now, drained_ + lost()) || ended;
  header_->open.store(takes ? ~uint64_t{0} : kFirstChunk, std::memory_order_relaxed);
  size_t total = 0;
  for (auto at = rings_.begin(); at != rings_.end();) {
    total += drain(*at->first, at->second, takes, settled, ended);
    // A queue that is settled for ever is the reader's alone.
    at = at->second.queue->settled == kNever ? rings_.erase(at) : std::next(at);
  }
  limiter_.spend(total);
  drained_ += total;
  horizon_.store(settled, std::memory_order_release);
  header_->tick.fetch_add(1, std::memory_order_release);
  return total;
}

// How far the writer has come, in words from the ring's begin; nonsense counts as zero.
size_t RingDrain::written_of(const ring::Head &head) {
  const uintptr_t bytes =
      head.written.load(std::memory_order_acquire) - head.base.load(std::memory_order_relaxed);
  return bytes < ring::kRingWords * sizeof(Word) ? bytes / sizeof(Word) : 0;
}

size_t RingDrain::drain(ring::Head &head, Ring &ring, bool takes, uint64_t settled, bool ended) {
  const bool left = head.state.load(std::memory_order_acquire) == ring::Head::State::left;
  head.ready.exchange(0); // what is written from now on has a later time
  const size_t written = written_of(head);
  const size_t before = ring.drained;
  // What is held may wait for the first word of a ring that nothing is held of.
  const bool is_waited_for = ring.queue->held.load() == 0;
  // A ring whose thread has left is little, and another thread may be waiting for it.
  if ((takes || left) && (ended || is_waited_for || held_words_.load() < most_held_))
    take(head, ring, written);
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
  std::move(ring.taken.begin(), ring.taken.end(), std::back_inserter(ring.queue->pieces));
  ring.taken.clear();
  if (done)
    ring.queue->settled = kNever;
  else if (empty)
    ring.queue->settled = settled;
  return count;
}

// Goes the way that the writer went, and gives back the chunks that it has left. What it says of them is not believed.
void RingDrain::take(ring::Head &head, Ring &ring, size_t written) {
  for (size_t left = 0; left < ring::kChunks; ++left) {
    const size_t chunk = ring.at / ring::kChunkWords;
    if (chunk == written / ring::kChunkWords) return take_words(ring, written);
    const ring::Onward onward = head.onward[chunk].load(std::memory_order_relaxed);
    if (onward.words >= ring::kChunkWords || onward.chunk >= ring::kChunks) return;
    take_words(ring, chunk * ring::kChunkWords + onward.words);
    ring.at = onward.chunk * ring::kChunkWords;
    head.free.fetch_or(uint64_t{1} << chunk, std::memory_order_release);
  }
}

void RingDrain::take_words(Ring &ring, size_t end) {
  if (end <= ring.at) return;
  ring.taken.push_back(store_.keep({ring.words + ring.at, end - ring.at}));
  ring.drained += end - ring.at;
  ring.at = end;
}

void RingDrain::release(ring::Head &head) {
  lost_ += head.dropped.exchange(0);
  head.state.store(ring::Head::State::unused, std::memory_order_release);
}

uint64_t RingDrain::lost() const {
  uint64_t lost = lost_ + header_->dropped.load();
  for (size_t i = 0; i < claimed(); ++i) lost += header_->heads[i].dropped.load();
  return lost;
}

} // namespace abut::record
