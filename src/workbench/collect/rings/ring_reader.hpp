// Makes one raw stream of what the threads of a recorded process wrote into their rings.
//
// A thread's records are in order; those of different threads are ordered by their times. What has come out of a ring
// may be followed by a record with an earlier time than one that waits elsewhere. So a record is read only once every
// other ring is known to have nothing earlier.
#pragma once

#include "collect/rings/ring_drain.hpp"

#include <functional>
#include <span>

namespace abut::record {

class RingReader {
public:
  using Sink = std::function<void(std::span<const uint64_t>)>;

  // `sink` gets the raw stream in pieces, each of whole records.
  RingReader(RingDrain &drain, Sink sink);

  // Reads what can be read of what was drained; how many words that were. Whatever the sink throws.
  size_t read();
  // Accesses of places in the code that nothing is known of, and words that make no sense.
  uint64_t damaged() const { return damaged_; }

private:
  struct Ring {
    std::shared_ptr<RingQueue> queue;
    uint32_t thread = 0;
    std::deque<KeptWords> pieces;
    size_t at = 0;        // in the first piece
    uint64_t time = 0;    // of the record there
    uint64_t settled = 0; // no record with an earlier time is still to come
  };

  void refill();
  static void look_ahead(Ring &ring);
  static uint64_t bound_of(const Ring &ring);
  void drop_done();
  size_t read_ring(Ring &ring, uint64_t bound);
  void read_record(ring::Word first, const ring::Word *words);
  void read_small(ring::Word word);
  void read_birth(unsigned kind, ring::Word first, ring::Word second);
  void read_context(ring::Word first, const ring::Word *words);
  void access(ring::Word word);
  void define_site(uint64_t small, uint64_t code);
  void emit(unsigned kind, uint64_t small, std::initializer_list<uint64_t> words);
  void hand_over();

  RingDrain &drain_;
  Sink sink_;
  std::vector<Ring> rings_;
  std::vector<uint64_t> stream_;
  std::vector<bool> sites_;
  uint64_t time_ = 0;    // of the record that is being read
  uint32_t running_ = 0; // the thread that the stream speaks of
  uint64_t damaged_ = 0;
};

} // namespace abut::record
