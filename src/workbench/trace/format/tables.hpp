// The tables of a trace as bytes: the header, modules, contexts, totals, and the index of the blocks.
#pragma once

#include "trace/block.hpp"
#include "trace/events.hpp"
#include "trace/format/bytes.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace abut::trace {

// A call chain, innermost frame first.
using Chain = std::vector<Frame>;

// A block, and where it lies in the file.
struct Placed {
  uint64_t offset = 0;
  BlockHead head;
};

// What is defined in one block: rows, numbered from the first one's number. A module that was unloaded is defined
// again, by its number.
struct ModuleRow {
  uint32_t number = 0;
  Module module;
};

Bytes header_bytes(const Header &header);
Bytes module_bytes(std::span<const ModuleRow> rows);
Bytes context_bytes(std::span<const Chain> chains);
Bytes totals_bytes(const Totals &totals);
Bytes index_bytes(std::span<const Placed> blocks);

// False where the bytes are no such table.
bool parse_header(ByteView bytes, Header &header);
bool parse_modules(ByteView bytes, std::vector<ModuleRow> &rows);
bool parse_contexts(ByteView bytes, std::vector<Chain> &chains);
bool parse_totals(ByteView bytes, Totals &totals);
bool parse_index(ByteView bytes, std::vector<Placed> &blocks);

inline constexpr size_t kMaxTableBytes = size_t{1} << 28;

} // namespace abut::trace
