// A block: what a trace file is a row of. Its head says what it is and how long; its payload is a list of sections,
// each compressed by itself. Both have checksums, so that a reader can find its feet again after damage.
#pragma once

#include "trace/format/bytes.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace abut::trace {

// What a file begins with: eight characters, then the version of the format, two numbers of two bytes, then four zeros.
inline constexpr std::array<uint8_t, 8> kFileMagic = {'a', 'b', 'u', 't', 't', 'r', 'c', '\n'};
inline constexpr uint16_t kMajorVersion = 2; // another one cannot be read
inline constexpr uint16_t kMinorVersion = 2;
inline constexpr size_t kFileHeadBytes = 16;

inline constexpr std::array<uint8_t, 4> kBlockMagic = {0xab, 0x5b, 'b', 'k'};
inline constexpr size_t kBlockHeadBytes = 64;

// What a finished file ends with: these characters, where the end block lies, and a checksum of both.
inline constexpr std::array<uint8_t, 8> kEndMagic = {'a', 'b', 'u', 't', 'e', 'n', 'd', '\n'};
inline constexpr size_t kTailBytes = 24;

enum class BlockKind : uint8_t { header = 1, modules, contexts, chunk, end };

struct BlockHead {
  BlockKind kind = BlockKind::header;
  uint32_t payload_bytes = 0;
  uint32_t accesses = 0;
  uint32_t events = 0; // of a table of definitions: rows
  uint64_t first_access = 0;
  uint64_t first_event = 0;
  uint64_t first_object = 0; // the next to be born
  uint64_t payload_sum = 0;
};

void put_head(Bytes &bytes, const BlockHead &head);

// False where the bytes are no head, or a damaged one.
bool get_head(ByteView bytes, BlockHead &head);

uint64_t checksum(ByteView bytes);

// The names of sections. Tables have one, the end block two; readers pass over those that they do not know.
enum class Section : uint8_t {
  table = 1,
  index,
  sites = 16,
  rules,
  groups,
  symbols,
  objects,
  offsets,
  threads,
  event_kinds = 32,
  event_positions,
  event_threads,
  event_times,
  event_contexts,
  event_objects,
  event_addresses,
  event_sizes,
  event_details,
};

struct FreeZstd {
  void operator()(ZSTD_CCtx_s *context) const;
  void operator()(ZSTD_DCtx_s *context) const;
};

// Puts a block together.
class BlockBuilder {
public:
  explicit BlockBuilder(int level);

  // Nothing is written of an empty one.
  void add(Section name, ByteView bytes);

  // Head and payload; the builder is empty again.
  Bytes finish(BlockHead head);

private:
  std::unique_ptr<ZSTD_CCtx_s, FreeZstd> zstd_;
  Bytes directory_;
  Bytes stored_;
  size_t count_ = 0;
};

// Takes a payload apart. Nothing of it is trusted.
class BlockParser {
public:
  BlockParser();

  // False where the payload is no list of sections. The payload must outlive what follows.
  bool begin(ByteView payload);

  // The section's bytes, at most `most`, and `slack` bytes of no meaning after them; empty where there is no such
  // section. False where it is longer, or damaged.
  bool get(Section name, size_t most, size_t slack, Bytes &bytes);

private:
  struct Entry {
    Section name;
    bool compressed;
    uint32_t bytes;
    ByteView stored;
  };

  std::unique_ptr<ZSTD_DCtx_s, FreeZstd> zstd_;
  std::vector<Entry> entries_;
};

} // namespace abut::trace
