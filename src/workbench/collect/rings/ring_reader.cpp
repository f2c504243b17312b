#include "collect/rings/ring_reader.hpp"

#include "collect/raw_stream.h"

#include <algorithm>
#include <utility>

namespace abut::record {

using ring::Kind;
using ring::Word;

namespace {

constexpr size_t kPiece = 1 << 14;    // words of the raw stream
constexpr size_t kMostTurn = 1 << 16; // words, before who reads looks at what else there is to do
constexpr unsigned kMostSites = 1 << 16;

uint64_t small_of(Word first) { return first & ring::kSmallMask; }

// The lowest of some numbers: a tree, since thousands of threads may have ended before they are read.
class Lowest {
public:
  explicit Lowest(size_t count) : count_(count), tree_(2 * count, ~uint64_t{0}) {}

  void set(size_t i, uint64_t number) {
    tree_[count_ + i] = number;
    for (size_t at = (count_ + i) / 2; at > 0; at /= 2)
      tree_[at] = std::min(tree_[2 * at], tree_[2 * at + 1]);
  }
  size_t index() const {
    size_t at = 1;
    while (at < count_) at = 2 * at + (tree_[2 * at] != tree_[at]);
    return at - count_;
  }
  uint64_t of_others(size_t i) const {
    uint64_t lowest = ~uint64_t{0};
    for (size_t at = count_ + i; at > 1; at /= 2) lowest = std::min(lowest, tree_[at ^ 1]);
    return lowest;
  }

private:
  size_t count_;
  std::vector<uint64_t> tree_; // of each, its two children's lowest; the numbers last
};

bool is_time(Word first) {
  return (first & ring::kEventBit) != 0 && ring::kind_of(first) == Kind::time;
}

} // namespace

RingReader::RingReader(RingDrain &drain, Sink sink)
    : drain_(drain), sink_(std::move(sink)), sites_(kMostSites) {}

// ---- rings ----

void RingReader::refill() {
  drain_.each_queue([this](const std::shared_ptr<RingQueue> &queue) {
    if (queue->reads_as == RingQueue::kNotRead) {
      queue->reads_as = rings_.size();
      rings_.emplace_back();
      rings_.back().queue = queue;
      rings_.back().thread = queue->thread;
    }
    Ring &ring = rings_[queue->reads_as];
    for (auto &piece : queue->pieces) ring.pieces.push_back(std::move(piece));
    queue->pieces.clear();
    ring.settled = queue->settled;
  });
}

void RingReader::drop_done() {
  std::erase_if(rings_, [](const Ring &ring) {
    return ring.pieces.empty() && ring.settled == RingDrain::kNever;
  });
  for (size_t i = 0; i < rings_.size(); ++i) rings_[i].queue->reads_as = i;
}

// Looks at the time of the next record: of all rings first, so that one of them can always go on.
void RingReader::look_ahead(Ring &ring) {
  if (ring.pieces.empty()) return;
  const Word first = ring.pieces.front().words[ring.at];
  if (is_time(first)) ring.time = std::max(ring.time, small_of(first));
}

// The time up to which nothing more is to come from a ring than what is here.
uint64_t RingReader::bound_of(const Ring &ring) {
  return ring.pieces.empty() ? std::max(ring.time, ring.settled) : ring.time;
}

size_t RingReader::read() {
  const uint64_t horizon = drain_.horizon();
  refill();
  for (Ring &ring : rings_) look_ahead(ring);
  Lowest bounds(rings_.size());
  for (size_t i = 0; i < rings_.size(); ++i) bounds.set(i, bound_of(rings_[i]));
  size_t total = 0;
  for (size_t count = 1; count != 0 && total < kMostTurn && !rings_.empty(); total += count) {
    const size_t i = bounds.index(); // where that one cannot go on, none can
    count = read_ring(rings_[i], std::min(horizon, bounds.of_others(i)));
    bounds.set(i, bound_of(rings_[i]));
    drain_.took(*rings_[i].queue, count);
  }
  hand_over();
  drop_done();
  return total;
}

// Reads records whose time is not beyond `bound`; how many words.
size_t RingReader::read_ring(Ring &ring, uint64_t bound) {
  size_t total = 0;
  while (!ring.pieces.empty() && total < kMostTurn) {
    const std::span<const Word> piece = ring.pieces.front().words;
    for (; ring.at < piece.size() && total < kMostTurn;) {
      const Word first = piece[ring.at];
      const size_t count = words_of(first);
      if (count == 0 || count > piece.size() - ring.at) {
        ++damaged_;
        total += piece.size() - ring.at;
        ring.at = piece.size();
        break;
      }
      const bool is_event = (first & ring::kEventBit) != 0;
      if (is_time(first)) ring.time = std::max(ring.time, small_of(first));
      if (ring.time > bound) return total;
      if (running_ != ring.thread) {
        running_ = ring.thread;
        emit(ABUT_RAW_THREAD, running_, {});
      }
      time_ = ring.time;
      if (is_event)
        read_record(first, &piece[ring.at] + 1);
      else
        access(first);
      ring.at += count;
      total += count;
      if (stream_.size() > kPiece) hand_over();
    }
    if (ring.at < piece.size()) break;
    ring.pieces.pop_front();
    ring.at = 0;
  }
  return total;
}

// ---- records ----

void RingReader::read_record(Word first, const Word *words) {
  const uint64_t small = small_of(first);
  switch (ring::kind_of(first)) {
  case Kind::time: break;
  case Kind::allocate: read_birth(ABUT_RAW_ALLOCATE, first, words[0]); break;
  case Kind::free: emit(ABUT_RAW_FREE, 0, {time_, small, 0}); break;
  case Kind::resize: emit(ABUT_RAW_RESIZE, 0, {time_, small}); break;
  case Kind::resized: read_birth(ABUT_RAW_RESIZED, first, words[0]); break;
  case Kind::stayed: emit(ABUT_RAW_RESIZED, 1, {time_, 0, 0, 0}); break;
  case Kind::context: read_context(first, words); break;
  case Kind::module_: {
    const size_t count = words_of(first) - 1;
    emit(ABUT_RAW_MODULE, small, {});
    stream_.back() |= count;
    stream_.insert(stream_.end(), words, words + count);
    break;
  }
  case Kind::unload: emit(ABUT_RAW_UNMAP, 0, {words[0], words[1]}); break;
  case Kind::site: define_site(small, words[0]); break;
  case Kind::range:
    emit(ABUT_RAW_KERNEL, small >> 48 & 1, {words[0], small & ring::kAddressMask});
    break;
  case Kind::near: emit(ABUT_RAW_NEAR, 0, {time_, small, words[0]}); break;
  case Kind::touch: emit(ABUT_RAW_TOUCH, 0, {time_, small, words[0]}); break;
  case Kind::fork: emit(ABUT_RAW_FORK, small, {}); break;
  case Kind::recording: emit(ABUT_RAW_RECORDING, small & 1, {time_}); break;
  case Kind::small: read_small(first); break;
  }
}

void RingReader::read_small(Word word) {
  const auto birth = ring::SmallBirth::read(word);
  emit(ABUT_RAW_ALLOCATE, 0,
       {time_, (drain_.anchor() + birth.distance) & ring::kAddressMask, birth.size,
        uint64_t{birth.context} * 4});
}

void RingReader::read_birth(unsigned kind, Word first, Word second) {
  const auto birth = ring::Birth::read(first, second);
  const unsigned log2 = birth.align_log2_plus_1;
  const uint64_t align =
      kind == ABUT_RAW_ALLOCATE && log2 != 0 ? uint64_t{1} << (log2 - 1) % 64 : 0;
  emit(kind, align, {time_, birth.address, birth.size, uint64_t{birth.context} * 4});
}

void RingReader::read_context(Word first, const Word *words) {
  const size_t depth = words_of(first) - 1;
  emit(ABUT_RAW_CONTEXT, 0, {});
  stream_.back() |= 1 + depth;
  stream_.push_back((first & 0xffff) * 4);
  for (size_t i = 0; i < depth; ++i) stream_.push_back(words[i] - 1); // inside of the call
}

void RingReader::access(Word word) {
  const auto site = static_cast<unsigned>(word >> ring::kAddressBits);
  if (!sites_[site]) {
    ++damaged_;
    return;
  }
  stream_.push_back(uint64_t{site} << 16 | 1);
  stream_.push_back(word & ring::kAddressMask);
}

void RingReader::define_site(uint64_t small, uint64_t code) {
  const uint64_t number = small & 0xffff;
  const uint64_t size = small >> 16 & ABUT_RAW_MOST_SIZE;
  sites_[number] = true;
  const uint64_t traits = size << 1 | ((small >> 24 & 1) != 0 ? ABUT_RAW_WRITES : 0);
  emit(ABUT_RAW_BLOCK, 1, {number, (code != 0 ? code - 1 : 0) << 8 | traits});
}

void RingReader::emit(unsigned kind, uint64_t small, std::initializer_list<uint64_t> words) {
  stream_.push_back(abut_raw_event(kind, small, static_cast<unsigned>(words.size())));
  stream_.insert(stream_.end(), words);
}

void RingReader::hand_over() {
  if (stream_.empty()) return;
  sink_(stream_);
  stream_.clear();
}

} // namespace abut::record
