// A chunk: accesses, and the events between them, that can be read without any other chunk.
#pragma once

#include "trace/block.hpp"
#include "trace/format/access_columns.hpp"
#include "trace/format/access_decoder.hpp"
#include "trace/format/event_columns.hpp"

#include <cstdint>

namespace abut::trace {

inline constexpr uint32_t kMaxChunkAccesses = uint32_t{1} << 22;
inline constexpr uint32_t kMaxChunkEvents = uint32_t{1} << 20;

struct Chunk {
  AccessColumns accesses;
  EventColumns events;
};

// Calls `visit(name, column, most, slack)` for each column of the accesses: how many bytes it may have at the most for
// `count` accesses, and how much padding the decoder needs behind them. False as soon as one visit is false.
template <typename Accesses, typename Visit>
bool for_each_access_column(Accesses &columns, size_t count, Visit visit) {
  constexpr size_t kSlack = AccessDecoder::kSlack;
  constexpr size_t kVarint = 10;
  constexpr size_t kRule = 32;
  return visit(Section::sites, columns.sites, count * kRule + kVarint, size_t{0}) &&
         visit(Section::rules, columns.rules, count * kRule + kVarint, size_t{0}) &&
         visit(Section::groups, columns.groups, count * kVarint + kVarint, size_t{0}) &&
         visit(Section::symbols, columns.symbols, count * sizeof(uint16_t), size_t{0}) &&
         visit(Section::objects, columns.objects, count * sizeof(uint64_t), kSlack) &&
         visit(Section::offsets, columns.offsets, count * sizeof(uint64_t), kSlack) &&
         visit(Section::threads, columns.threads, count * kVarint, size_t{0});
}

// The same for the columns of the events.
template <typename Events, typename Visit>
bool for_each_event_column(Events &columns, size_t count, Visit visit) {
  const size_t most = count * 10;
  return visit(Section::event_kinds, columns.kinds, count, size_t{0}) &&
         visit(Section::event_positions, columns.positions, most, size_t{0}) &&
         visit(Section::event_threads, columns.threads, most, size_t{0}) &&
         visit(Section::event_times, columns.times, most, size_t{0}) &&
         visit(Section::event_contexts, columns.contexts, most, size_t{0}) &&
         visit(Section::event_objects, columns.objects, most, size_t{0}) &&
         visit(Section::event_addresses, columns.addresses, most, size_t{0}) &&
         visit(Section::event_sizes, columns.sizes, most, size_t{0}) &&
         visit(Section::event_details, columns.details, most, size_t{0});
}

} // namespace abut::trace
