#include "trace/reader.hpp"

#include <algorithm>
#include <numeric>

namespace abut::trace {

namespace {

constexpr const char *kFix = "name a trace that abut record wrote";
constexpr size_t kMostDamages = 1000;
constexpr size_t kScanBytes = size_t{1} << 20;
constexpr uint32_t kMaxModules = uint32_t{1} << 20;

} // namespace

Result<Reader> Reader::open(const std::string &path) {
  Result<InputFile> file = InputFile::open(path);
  if (!file) return file.error();
  Reader reader(file.take());
  if (const std::optional<Error> error = reader.read_start()) return *error;
  if (!reader.read_end()) reader.scan();
  return reader;
}

std::optional<Error> Reader::read_start() {
  if (!file_.read(0, kFileHeadBytes, scratch_)) return Error{path(), "cannot be read", kFix};
  if (scratch_.size() < kFileHeadBytes ||
      !std::equal(kFileMagic.begin(), kFileMagic.end(), scratch_.begin()))
    return Error{path(), "is not a trace", kFix};
  ByteReader head(ByteView(scratch_).subspan(kFileMagic.size()));
  if (const auto version = head.get<uint16_t>(); version != kMajorVersion)
    return Error{path(),
                 "is a trace of format " + std::to_string(version) +
                     ", and this abut reads format " + std::to_string(kMajorVersion),
                 "use the abut that recorded it, or record it again"};
  Placed block{kFileHeadBytes, {}};
  Bytes table;
  if (!read_head(block.offset, block.head) || block.head.kind != BlockKind::header ||
      !read_table(block, table) || !parse_header(table, header_)) {
    header_ = {};
    damaged(block.offset, "the header: machine and command line are unknown");
  }
  return std::nullopt;
}

// False where the file has no end, as when the writer was killed.
bool Reader::read_end() {
  if (file_.size() < kFileHeadBytes + kTailBytes ||
      !file_.read(file_.size() - kTailBytes, kTailBytes, scratch_) || scratch_.size() != kTailBytes)
    return false;
  ByteReader tail(scratch_);
  const ByteView magic = tail.take(kEndMagic.size());
  Placed end;
  end.offset = tail.get<uint64_t>();
  if (!std::equal(magic.begin(), magic.end(), kEndMagic.begin()) ||
      tail.get<uint64_t>() != checksum(ByteView(scratch_).first(kTailBytes - sizeof(uint64_t))))
    return false;
  Bytes table, index;
  Totals totals;
  std::vector<Placed> blocks;
  if (!read_head(end.offset, end.head) || end.head.kind != BlockKind::end ||
      !read_table(end, table) || !parse_totals(table, totals) ||
      !parser_->get(Section::index, kMaxTableBytes, 0, index) || !parse_index(index, blocks))
    return false;
  totals_ = totals;
  for (const Placed &block : blocks) take_block(block);
  return true;
}

// Goes from head to head; over what is none, to the next one that is.
void Reader::scan() {
  damaged(file_.size(), "the end is missing: the recording was cut short, or the file is; its "
                        "chunks are read one by one");
  uint64_t offset = kFileHeadBytes;
  while (offset < file_.size()) {
    Placed block{offset, {}};
    if (!read_head(offset, block.head)) {
      const uint64_t next = find_head(offset + 1);
      damaged(offset, std::to_string(next - offset) + " bytes that are no block");
      offset = next;
      continue;
    }
    const uint64_t end = offset + kBlockHeadBytes + block.head.payload_bytes;
    if (end > file_.size()) {
      damaged(offset, "a block is cut off: " + std::to_string(end - file_.size()) +
                          " bytes of it are missing");
      offset = find_head(offset + 1);
      continue;
    }
    take_block(block);
    offset = end;
  }
}

// Where the next whole head begins, or the end of the file.
uint64_t Reader::find_head(uint64_t from) {
  Bytes bytes;
  BlockHead head;
  while (from < file_.size()) {
    if (!file_.read(from, kScanBytes + kBlockHeadBytes, bytes) || bytes.empty()) break;
    for (auto at = bytes.begin();; ++at) {
      at = std::search(at, bytes.end(), kBlockMagic.begin(), kBlockMagic.end());
      const auto index = static_cast<size_t>(at - bytes.begin());
      if (at == bytes.end() || index >= kScanBytes) break;
      if (get_head(ByteView(bytes).subspan(index), head)) return from + index;
    }
    from += kScanBytes;
  }
  return file_.size();
}

bool Reader::read_head(uint64_t offset, BlockHead &head) {
  return file_.read(offset, kBlockHeadBytes, scratch_) && get_head(scratch_, head);
}

// The head of the block is what the index said; the file's own must say the same.
bool Reader::read_payload(const Placed &block) {
  const uint64_t begin = block.offset + kBlockHeadBytes;
  if (begin + block.head.payload_bytes > file_.size()) return false;
  return file_.read(begin, block.head.payload_bytes, payload_) &&
         payload_.size() == block.head.payload_bytes &&
         checksum(payload_) == block.head.payload_sum && parser_->begin(payload_);
}

bool Reader::read_table(const Placed &block, Bytes &table) {
  return read_payload(block) && parser_->get(Section::table, kMaxTableBytes, 0, table);
}

void Reader::take_block(const Placed &block) {
  switch (block.head.kind) {
  case BlockKind::chunk:
    if (block.head.accesses > kMaxChunkAccesses || block.head.events > kMaxChunkEvents)
      return damaged(block.offset, "a chunk that is too long");
    chunks_.push_back(block);
    break;
  case BlockKind::modules: take_modules(block); break;
  case BlockKind::contexts: take_contexts(block); break;
  default: break;
  }
}

void Reader::take_modules(const Placed &block) {
  Bytes table;
  std::vector<ModuleRow> rows;
  if (!read_table(block, table) || !parse_modules(table, rows))
    return damaged(block.offset, "a table of modules");
  for (ModuleRow &row : rows) {
    if (row.number == 0 || row.number > kMaxModules) continue;
    if (modules_.size() < row.number) modules_.resize(row.number);
    modules_[row.number - 1] = std::move(row.module);
  }
}

void Reader::take_contexts(const Placed &block) {
  Bytes table;
  std::vector<Chain> chains;
  if (!read_table(block, table) || !parse_contexts(table, chains)) {
    // Those after it must keep their numbers.
    contexts_.resize(contexts_.size() + std::min<size_t>(block.head.events, payload_.size()));
    return damaged(block.offset, "a table of contexts");
  }
  std::move(chains.begin(), chains.end(), std::back_inserter(contexts_));
}

std::vector<Damage> Reader::damages() const {
  const std::lock_guard turn(*turn_);
  return damages_;
}

uint64_t Reader::accesses() const {
  return std::accumulate(
      chunks_.begin(), chunks_.end(), uint64_t{0},
      [](uint64_t sum, const Placed &chunk) { return sum + chunk.head.accesses; });
}

uint64_t Reader::events() const {
  return std::accumulate(chunks_.begin(), chunks_.end(), uint64_t{0},
                         [](uint64_t sum, const Placed &chunk) { return sum + chunk.head.events; });
}

bool Reader::read_chunk(size_t number, Part part, Chunk &chunk) {
  const Placed &block = chunks_[number];
  std::unique_lock turn(*turn_);
  const auto get = [this](Section name, Bytes &column, size_t most, size_t slack) {
    return parser_->get(name, most, slack, column);
  };
  const bool good =
      read_payload(block) && for_each_event_column(chunk.events, block.head.events, get) &&
      (part == Part::events || for_each_access_column(chunk.accesses, block.head.accesses, get));
  turn.unlock();
  if (!good) record_damage(number, "cannot be read");
  return good;
}

bool Reader::read_events(size_t number, std::vector<Event> &events) {
  Chunk chunk;
  const BlockHead &head = chunks_[number].head;
  if (!read_chunk(number, Part::events, chunk)) return false;
  const ChunkStart start{head.first_access, head.first_event, head.first_object};
  const bool good = decode_events(chunk.events, head.events, head.accesses, start, events);
  if (!good) record_damage(number, "has events that cannot be");
  return good;
}

void Reader::record_damage(size_t chunk, const std::string &what) {
  const BlockHead &head = chunks_[chunk].head;
  damaged(chunks_[chunk].offset, "chunk " + std::to_string(chunk) + " (accesses from " +
                                     std::to_string(head.first_access) + ", events from " +
                                     std::to_string(head.first_event) + ") " + what);
}

void Reader::damaged(uint64_t offset, std::string what) {
  const std::lock_guard turn(*turn_);
  const auto same = [&](const Damage &known) {
    return known.offset == offset && known.what == what;
  };
  if (damages_.size() >= kMostDamages || std::any_of(damages_.begin(), damages_.end(), same))
    return;
  damages_.push_back({offset, std::move(what)});
}

} // namespace abut::trace
