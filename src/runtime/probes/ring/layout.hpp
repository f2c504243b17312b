// Rings: the memory that a recorded process and the collector share, one ring of words for each thread.
//
// A ring has one writer, its thread, and one reader, the collector, which never writes into it: so a line goes to the
// other processor once a round, and not dirty. After each record the writer says how far it has come; what a thread wrote
// is the collector's at once, and stays so when the process is killed the moment after.
//
// A ring's chunks are written in any order. The writer goes from a full one to the first that the reader has given back,
// and says where it went. As long as the collector keeps up, these are the same few, which fit into a cache beside what
// the program has there; where it does not for some milliseconds, there are all the others.
//
// A record is one word or more, and lies in one piece.
//   access   bit 63 clear; site << 47 | address
//   event    bit 63 set; kind << 58 | small value, and words behind it
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace abut::ring {

using Word = uint64_t;

inline constexpr uint32_t kMagic = 0x74756261; // "abut"
inline constexpr uint32_t kVersion = 0x106;    // of the hello that asks for rings
inline constexpr char kSocketVariable[] =
    "ABUT_RECORD";                          // of the environment: where the collector listens
inline constexpr size_t kMostThreads = 512; // at a time
inline constexpr size_t kMostRecord = 640;  // words
inline constexpr size_t kChunkWords = 4096;
inline constexpr size_t kChunks =
    64; // of a ring; for what is written in 20 ms of 12 M words a second
inline constexpr size_t kRingWords = kChunks * kChunkWords;
inline constexpr unsigned kAddressBits = 47;
inline constexpr Word kAddressMask = (Word{1} << kAddressBits) - 1;
inline constexpr Word kEventBit = Word{1} << 63;
inline constexpr unsigned kKindShift = 58;
inline constexpr Word kSmallMask = (Word{1} << kKindShift) - 1;

// What a process says first, to the collector's socket; the answer brings the shared memory.
struct Hello {
  uint32_t magic = kMagic;
  uint32_t version = kVersion;
  int32_t pid = 0;
  uint32_t parent_session =
      0; // of a process that was forked off a recorded one: that one's session ...
  uint32_t fork_number = 0; // ... and the number of the fork
};
struct Welcome {
  uint32_t accepted = 0; // 0: this process is not to be recorded
  uint32_t session = 0;
  uint32_t rings = kMostThreads;
  uint32_t ring_words = kRingWords;
};

// Words behind the first one are in brackets; "s:" is the small value.
enum class Kind : uint8_t {
  small, // a small block is allocated, see SmallBirth; zero, so that its word is made without a constant
  time,     // s: reading of the time stamp counter; of this and what follows
  allocate, // s: context | low bits of the size << 16 [address | high bits << 47 | log2 of the alignment + 1 << 52]
  free,     // s: address; before the call
  resize,   // s: address; before the call
  resized,  // as `allocate`; with zero for the address where the call failed
  stayed,   // a resize changed nothing
  context, // s: number | count << 16 [addresses of the chain, innermost first; each follows its call instruction]
  module_, // s: bytes of the path [address, bytes, offset in the file, path in whole words]
  unload,  // [address, bytes]
  site,    // s: number | size << 16 | writes << 24 [address that follows the call]
  range,   // s: bytes | writes << 48 [address]
  near,    // s: address [address of the block that it should be near to]
  touch,   // s: address [weight]
  fork,    // s: number of the fork; what follows is not of the child
  recording, // s: 1 where accesses are recorded from here on, 0 where no more
};

constexpr Word event(Kind kind, Word small) {
  return kEventBit | static_cast<Word>(kind) << kKindShift | (small & kSmallMask);
}
constexpr Kind kind_of(Word word) { return static_cast<Kind>((word & ~kEventBit) >> kKindShift); }

// What one allocation says in two words.
struct Birth {
  uint16_t context = 0;
  uint64_t address = 0;
  uint64_t size = 0; // below 2^47
  unsigned align_log2_plus_1 = 0;

  static constexpr unsigned kLowBits = 42;

  constexpr Word first(Kind kind) const {
    return event(kind, context | (size & ((Word{1} << kLowBits) - 1)) << 16);
  }
  constexpr Word second() const {
    return address | size >> kLowBits << kAddressBits | Word{align_log2_plus_1} << 52;
  }
  static constexpr Birth read(Word first, Word second) {
    const Word low = (first & kSmallMask) >> 16;
    const Word high = (second >> kAddressBits) & 31;
    return {static_cast<uint16_t>(first), second & kAddressMask, low | high << kLowBits,
            static_cast<unsigned>(second >> 52 & 127)};
  }
};

// What the allocation of a small block says in one word: who writes less leaves more of the caches to the program. Where it
// lies is counted from an anchor, see Header: one heap's small blocks are mostly near to each other.
//   event bit; distance from the anchor << 23; size << 16; context
struct SmallBirth {
  uint16_t context = 0;
  uint16_t size = 0;     // below kMostSize
  uint64_t distance = 0; // below kReach, whole granules

  static constexpr unsigned kContextBits = 16;
  static constexpr unsigned kSizeBits = 10;
  static constexpr size_t kMostSize = size_t{1} << kSizeBits;
  static constexpr unsigned kGranuleShift = 3; // of the smallest blocks
  static constexpr unsigned kReachShift = 32 + kGranuleShift;
  static constexpr uint64_t kReach = uint64_t{1} << kReachShift; // bytes from the anchor

  static constexpr uint64_t anchor_around(uint64_t address) { return address - kReach / 2; }

  // What is added to an address is its distance, and a mark that becomes the event bit: addresses out of reach miss it.
  static constexpr uint64_t offset_from(uint64_t anchor) { return kMark - anchor; }
  static constexpr uint64_t kNowhere = uint64_t{1}
                                       << 63; // the offset by which all are out of reach
  // Zero where the address is out of reach, or the size is.
  static constexpr Word word_of(uint64_t address, uint64_t offset, size_t size, uint16_t context) {
    const uint64_t marked = address + offset;
    if (marked >> kReachShift != kMark >> kReachShift || size >= kMostSize) return 0;
    return ((marked << (kSizeBits - kGranuleShift) | size) << kContextBits) | context;
  }
  static constexpr SmallBirth read(Word word) {
    return {static_cast<uint16_t>(word),
            static_cast<uint16_t>(word >> kContextBits & (kMostSize - 1)),
            (word & kSmallMask) >> (kContextBits + kSizeBits) << kGranuleShift};
  }

private:
  static constexpr uint64_t kMark = kEventBit >> (kContextBits + kSizeBits - kGranuleShift);
};
static_assert(SmallBirth::kContextBits + SmallBirth::kSizeBits + 32 == kKindShift);

// Where the writer went from a chunk, and how many words it left there.
struct alignas(uint32_t) Onward {
  uint16_t words = 0;
  uint16_t chunk = 0;
};

// The writer's and the reader's words keep apart.
struct alignas(64) Head {
  enum class State : uint32_t {
    unused,
    taken, // by a thread that is about to write
    written,
    left, // by its thread, to be read to the end
  };
  std::atomic<State> state{State::unused};
  std::atomic<uint32_t> thread{0}; // number of the thread, from 1
  std::atomic<uint64_t> dropped{0};
  // The writer's addresses: of the ring, and of the first word that is not yet written.
  std::atomic<uintptr_t> base{0};
  std::atomic<uintptr_t> written{0};
  // Below this address, the writer writes records of a word or two on the fast path. Set to zero, it makes the writer read the clock before
  // its next record; the reader does so before each of its looks.
  std::atomic<uintptr_t> ready{0};
  // Chunks that may be written to: the reader gives them, the writer takes them.
  alignas(64) std::atomic<uint64_t> free{0};
  // For each chunk that the writer has left.
  alignas(64) std::array<std::atomic<Onward>, kChunks> onward{};
};
static_assert(std::atomic<Onward>::is_always_lock_free && kChunks == 64 && kChunkWords <= 0xffff);

// All of it but `tick` and `open` is zero at first, so that heads that are never taken cost no memory.
struct Header {
  int32_t collector = 0; // its process
  uint32_t session = 0;
  bool waits = false;  // a writer without room waits, where it would drop its record
  bool follow = false; // children are recorded, too
  bool accesses = false;
  bool after_mark = false;  // accesses are recorded from abut_trace_start() on
  uint64_t window_part = 0; // accesses that are recorded, of so many; zero: of all
  uint64_t window_whole = 0;
  // Changes some hundred times a second: time to look for room.
  alignas(64) std::atomic<uint32_t> tick{0};
  // Chunks of each ring that may be entered: few, while more is written than the collector may take.
  std::atomic<uint64_t> open{0};
  std::atomic<uint32_t> stopped{0}; // the collector reads no more
  std::atomic<uint32_t> threads{0}; // that there have been
  std::atomic<uint32_t> forks{0};
  std::atomic<uint64_t> dropped{0}; // by threads that found no ring
  std::atomic<uint64_t> anchor{0};  // of small births, from the first of them on
  std::atomic<uint32_t> claimed{0}; // heads from the first on that have been taken at some time
  std::array<Head, kMostThreads> heads;
};

inline constexpr size_t kHeaderBytes = (sizeof(Header) + 4095) / 4096 * 4096;
inline constexpr size_t kSharedBytes = kHeaderBytes + kMostThreads * kRingWords * sizeof(Word);

// In memory that was never written to.
inline Header *begin_header(void *memory) {
  auto *header = static_cast<Header *>(memory);
  header->tick.store(1, std::memory_order_relaxed);
  header->open.store(~uint64_t{0}, std::memory_order_relaxed);
  return header;
}

inline Word *ring_at(Header *header, size_t index) {
  return reinterpret_cast<Word *>(reinterpret_cast<char *>(header) + kHeaderBytes) +
         index * kRingWords;
}

} // namespace abut::ring
