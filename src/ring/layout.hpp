// Rings: the memory that a recorded process and the collector share, one ring of words for each thread.
//
// A ring has one writer, its thread, and one reader, the collector, which never writes into it: so a line goes to the
// other processor once a round, and not dirty. After each record the writer says how far it has come; what a thread wrote
// is the collector's at once, and stays so when the process is killed the moment after. How far the reader has come, the
// writer looks up when it has no room left.
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
inline constexpr uint32_t kVersion = 0x102;    // of the hello that asks for rings
inline constexpr char kSocketVariable[] =
    "ABUT_RECORD";                          // of the environment: where the collector listens
inline constexpr size_t kMostThreads = 512; // at a time
inline constexpr size_t kMostRecord = 640;  // words
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
  int32_t parent_pid = 0;
  uint32_t parent_session =
      0; // of a process that was forked off a recorded one: that one's session ...
  uint32_t fork_number = 0; // ... and the number of the fork
};
struct Welcome {
  uint32_t accepted = 0; // 0: this process is not to be recorded
  uint32_t session = 0;
  uint32_t rings = 0;
  uint32_t ring_words = 0;
};

// Words behind the first one are in brackets; "s:" is the small value.
enum class Kind : uint8_t {
  time,     // s: reading of the time stamp counter; of this and what follows
  allocate, // s: context | low bits of the size << 16 [address | high bits << 47 | log2 of the alignment + 1 << 52]
  free,     // s: address; before the call
  resize,   // s: address; before the call
  resized,  // as `allocate`; with nought for the address where the call failed
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

// One a line: the writer's and the reader's words keep apart.
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
  // Where the ring's last round ended, in words: where `written` lies before what was read.
  std::atomic<uint64_t> round_end{0};
  alignas(64) std::atomic<uint64_t> read{0}; // words of the ring that were read, from its begin
};

struct Header {
  uint64_t ring_words = 0;
  int32_t collector = 0; // its process
  uint32_t session = 0;
  bool waits = false;  // a writer without room waits, where it would drop its record
  bool follow = false; // children are recorded, too
  bool accesses = false;
  bool after_mark = false;  // accesses are recorded from abut_trace_start() on
  uint64_t window_part = 0; // accesses that are recorded, of so many; nought: of all
  uint64_t window_whole = 0;
  // Changes a thousand times a second: time to look at the clock, and for room. Threads change it, too, where they tell
  // something that all may need from then on.
  alignas(64) std::atomic<uint32_t> tick{1};
  std::atomic<uint32_t> stopped{0}; // the collector reads no more
  std::atomic<uint32_t> threads{0}; // that there have been
  std::atomic<uint32_t> forks{0};
  std::atomic<uint64_t> dropped{0}; // by threads that found no ring
  std::array<Head, kMostThreads> heads;
};

inline constexpr size_t kHeaderBytes = (sizeof(Header) + 4095) / 4096 * 4096;
constexpr size_t bytes_of(size_t ring_words) {
  return kHeaderBytes + kMostThreads * ring_words * sizeof(Word);
}

inline Word *ring_at(Header *header, size_t index, size_t ring_words) {
  return reinterpret_cast<Word *>(reinterpret_cast<char *>(header) + kHeaderBytes) +
         index * ring_words;
}

} // namespace abut::ring
