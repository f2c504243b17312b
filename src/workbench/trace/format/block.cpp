#include "trace/block.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>

namespace abut::trace {

namespace {

constexpr size_t kSummedBytes = kBlockHeadBytes - sizeof(uint64_t);
constexpr size_t kDirectoryEntryBytes = 10;
constexpr uint8_t kPlain = 0;
constexpr uint8_t kZstd = 1;

} // namespace

uint64_t checksum(ByteView bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

void put_head(Bytes &bytes, const BlockHead &head) {
  Bytes own(kBlockMagic.begin(), kBlockMagic.end());
  put(own, static_cast<uint32_t>(head.kind));
  put(own, head.payload_bytes);
  put(own, head.accesses);
  put(own, head.events);
  put(own, uint32_t{0});
  put(own, head.first_access);
  put(own, head.first_event);
  put(own, head.first_object);
  put(own, head.payload_sum);
  put(own, checksum(own));
  bytes.insert(bytes.end(), own.begin(), own.end());
}

bool get_head(ByteView bytes, BlockHead &head) {
  if (bytes.size() < kBlockHeadBytes) return false;
  ByteReader reader(bytes.first(kBlockHeadBytes));
  const ByteView magic = reader.take(kBlockMagic.size());
  if (!std::equal(magic.begin(), magic.end(), kBlockMagic.begin())) return false;
  const auto kind = reader.get<uint32_t>();
  head.kind = static_cast<BlockKind>(kind);
  head.payload_bytes = reader.get<uint32_t>();
  head.accesses = reader.get<uint32_t>();
  head.events = reader.get<uint32_t>();
  reader.get<uint32_t>();
  head.first_access = reader.get<uint64_t>();
  head.first_event = reader.get<uint64_t>();
  head.first_object = reader.get<uint64_t>();
  head.payload_sum = reader.get<uint64_t>();
  return kind <= UINT8_MAX && reader.get<uint64_t>() == checksum(bytes.first(kSummedBytes));
}

void FreeZstd::operator()(ZSTD_CCtx_s *context) const { ZSTD_freeCCtx(context); }
void FreeZstd::operator()(ZSTD_DCtx_s *context) const { ZSTD_freeDCtx(context); }

BlockBuilder::BlockBuilder(int level) : zstd_(ZSTD_createCCtx()) {
  ZSTD_CCtx_setParameter(zstd_.get(), ZSTD_c_compressionLevel, level);
}

void BlockBuilder::add(Section name, ByteView bytes) {
  if (bytes.empty()) return;
  const size_t at = stored_.size();
  stored_.resize(at + ZSTD_compressBound(bytes.size()));
  const size_t packed = ZSTD_compress2(zstd_.get(), stored_.data() + at, stored_.size() - at,
                                       bytes.data(), bytes.size());
  const bool shorter = ZSTD_isError(packed) == 0 && packed < bytes.size();
  if (!shorter) std::copy(bytes.begin(), bytes.end(), stored_.begin() + static_cast<ptrdiff_t>(at));
  const size_t length = shorter ? packed : bytes.size();
  stored_.resize(at + length);
  directory_.push_back(static_cast<uint8_t>(name));
  directory_.push_back(shorter ? kZstd : kPlain);
  put(directory_, static_cast<uint32_t>(bytes.size()));
  put(directory_, static_cast<uint32_t>(length));
  ++count_;
}

Bytes BlockBuilder::finish(BlockHead head) {
  Bytes payload;
  payload.reserve(1 + directory_.size() + stored_.size());
  payload.push_back(static_cast<uint8_t>(count_));
  payload.insert(payload.end(), directory_.begin(), directory_.end());
  payload.insert(payload.end(), stored_.begin(), stored_.end());
  head.payload_bytes = static_cast<uint32_t>(payload.size());
  head.payload_sum = checksum(payload);
  Bytes block;
  block.reserve(kBlockHeadBytes + payload.size());
  put_head(block, head);
  block.insert(block.end(), payload.begin(), payload.end());
  directory_.clear();
  stored_.clear();
  count_ = 0;
  return block;
}

BlockParser::BlockParser() : zstd_(ZSTD_createDCtx()) {}

bool BlockParser::begin(ByteView payload) {
  entries_.clear();
  ByteReader reader(payload);
  const auto count = reader.get<uint8_t>();
  ByteReader directory(reader.take(count * kDirectoryEntryBytes));
  for (unsigned i = 0; i < count && !directory.failed(); ++i) {
    const auto name = directory.get<uint8_t>();
    const auto codec = directory.get<uint8_t>();
    const auto bytes = directory.get<uint32_t>();
    const ByteView stored = reader.take(directory.get<uint32_t>());
    if (codec > kZstd || (codec == kPlain && stored.size() != bytes)) return false;
    entries_.push_back({static_cast<Section>(name), codec == kZstd, bytes, stored});
  }
  return !directory.failed() && !reader.failed() && reader.at_end();
}

bool BlockParser::get(Section name, size_t most, size_t slack, Bytes &bytes) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [name](const Entry &entry) { return entry.name == name; });
  const bool there = found != entries_.end();
  if (there && found->bytes > most) return false;
  bytes.clear();
  // The slack may be read, though not used, so it has to be some number.
  bytes.resize((there ? found->bytes : 0) + slack);
  if (!there) return true;
  if (!found->compressed) {
    std::copy(found->stored.begin(), found->stored.end(), bytes.begin());
    return true;
  }
  const size_t length = ZSTD_decompressDCtx(zstd_.get(), bytes.data(), found->bytes,
                                            found->stored.data(), found->stored.size());
  return ZSTD_isError(length) == 0 && length == found->bytes;
}

} // namespace abut::trace
