#include "trace/format/tables.hpp"

namespace abut::trace {

namespace {

// The least bytes of a row, which bounds how many rows there can be.
constexpr size_t kNoteBytes = 2;
constexpr size_t kModuleBytes = 6;
constexpr size_t kFrameBytes = 2;
constexpr size_t kIndexRowBytes = sizeof(uint64_t) + kBlockHeadBytes;

bool complete(const ByteReader &reader) { return !reader.failed() && reader.at_end(); }

} // namespace

Bytes header_bytes(const Header &header) {
  Bytes bytes;
  put_varint(bytes, header.command.size());
  for (const std::string &word : header.command) put_text(bytes, word);
  put_text(bytes, header.machine);
  put_text(bytes, header.recorder);
  put_varint(bytes, header.started);
  put_varint(bytes, header.process);
  put_varint(bytes, header.notes.size());
  for (const auto &[name, value] : header.notes) {
    put_text(bytes, name);
    put_text(bytes, value);
  }
  return bytes;
}

bool parse_header(ByteView bytes, Header &header) {
  ByteReader reader(bytes);
  header.command.resize(reader.count(1));
  for (std::string &word : header.command) word = reader.text();
  header.machine = reader.text();
  header.recorder = reader.text();
  header.started = reader.varint();
  header.process = reader.varint();
  header.notes.resize(reader.count(kNoteBytes));
  for (auto &[name, value] : header.notes) {
    name = reader.text();
    value = reader.text();
  }
  return complete(reader);
}

Bytes module_bytes(std::span<const ModuleRow> rows) {
  Bytes bytes;
  put_varint(bytes, rows.size());
  for (const auto &[number, module] : rows) {
    put_varint(bytes, number);
    put_text(bytes, module.path);
    put_text(bytes, module.build_id);
    put_varint(bytes, module.base);
    put_varint(bytes, module.length);
    bytes.push_back(module.unloaded ? 1 : 0);
  }
  return bytes;
}

bool parse_modules(ByteView bytes, std::vector<ModuleRow> &rows) {
  ByteReader reader(bytes);
  rows.resize(reader.count(kModuleBytes));
  for (auto &[number, module] : rows) {
    number = reader.number32();
    module.path = reader.text();
    module.build_id = reader.text();
    module.base = reader.varint();
    module.length = reader.varint();
    module.unloaded = reader.get<uint8_t>() != 0;
  }
  return complete(reader);
}

Bytes context_bytes(std::span<const Chain> chains) {
  Bytes bytes;
  put_varint(bytes, chains.size());
  for (const Chain &chain : chains) {
    put_varint(bytes, chain.size());
    for (const Frame &frame : chain) {
      put_varint(bytes, frame.module);
      put_varint(bytes, frame.offset);
    }
  }
  return bytes;
}

bool parse_contexts(ByteView bytes, std::vector<Chain> &chains) {
  ByteReader reader(bytes);
  chains.resize(reader.count(1));
  for (Chain &chain : chains) {
    chain.resize(reader.count(kFrameBytes));
    for (Frame &frame : chain) {
      frame.module = reader.number32();
      frame.offset = reader.varint();
    }
  }
  return complete(reader);
}

Bytes totals_bytes(const Totals &totals) {
  Bytes bytes;
  for (const uint64_t number :
       {totals.accesses, totals.events, totals.objects, totals.frees, totals.unmatched_frees,
        totals.dropped_events, totals.dropped_accesses,
        zigzag(static_cast<uint64_t>(totals.exit_status)), totals.ended, totals.instructions})
    put_varint(bytes, number);
  return bytes;
}

bool parse_totals(ByteView bytes, Totals &totals) {
  ByteReader reader(bytes);
  for (uint64_t *number :
       {&totals.accesses, &totals.events, &totals.objects, &totals.frees, &totals.unmatched_frees,
        &totals.dropped_events, &totals.dropped_accesses})
    *number = reader.varint();
  totals.exit_status = static_cast<int64_t>(unzigzag(reader.varint()));
  totals.ended = reader.varint();
  totals.instructions = reader.varint();
  return complete(reader);
}

Bytes index_bytes(std::span<const Placed> blocks) {
  Bytes bytes;
  for (const Placed &block : blocks) {
    put(bytes, block.offset);
    put_head(bytes, block.head);
  }
  return bytes;
}

bool parse_index(ByteView bytes, std::vector<Placed> &blocks) {
  if (bytes.size() % kIndexRowBytes != 0) return false;
  blocks.clear();
  blocks.reserve(bytes.size() / kIndexRowBytes);
  for (ByteReader reader(bytes); !reader.at_end();) {
    Placed block;
    block.offset = reader.get<uint64_t>();
    if (!get_head(reader.take(kBlockHeadBytes), block.head)) return false;
    blocks.push_back(block);
  }
  return true;
}

} // namespace abut::trace
