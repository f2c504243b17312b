// A recorded run as references: where its objects are under a layout, and whom each access counts for.
#pragma once

#include "sim/layouts/layout.hpp"
#include "sim/reference.hpp"
#include "sim/settings.hpp"
#include "trace/batches.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace abut::sim {

enum class OwnedBy : uint8_t { none, context, object, page };

struct ReplayOptions {
  OwnedBy owned_by = OwnedBy::none;
  // With `context`: the owner of the objects of each context, from 0 on; contexts behind its end have no owner.
  std::vector<Owner> owner_of_context;
  // Whose accesses to keep.
  Serves side = Serves::all;
  // Code whose accesses to leave out, as addresses [begin, end): where the trace has code addresses.
  std::vector<std::pair<uint64_t, uint64_t>> leave_out;
  // An instruction that reads a place and writes it back counts as the read alone, as in cachegrind.
  bool join_modifies = false;
  // The layout is another than the recorded one: references have where they were, too.
  bool moved = false;
  // Chunks [from, to) whose accesses to keep, in order; of all others, the events alone are read. Empty: all chunks.
  std::vector<std::pair<size_t, size_t>> windows;
};

class Replay {
public:
  // Both must outlive it.
  Replay(trace::Reader &reader, Layout &layout, ReplayOptions options);

  // The next references, valid until the next call; there may be none. False at the end.
  bool next();
  References references() const;

  // The events that came with them, or alone.
  std::span<const trace::Event> events() const { return events_; }
  // The same, of memory as it is under the layout.
  std::span<const MemoryEvent> memory_events() const { return memory_events_; }
  // The accesses as recorded: one for each reference where none were left out.
  const trace::Batches &batch() const { return *batches_; }
  // How many accesses of the trace came before these references.
  uint64_t position() const { return batches_->first_access(); }

  // Of the windows, those whose end was reached.
  size_t windows_done() const { return window_; }

  // Page of the owner 1, 2 ... where pages are owners: the number of each, in pages of 4 KiB.
  const std::vector<uint64_t> &pages() const { return pages_; }

private:
  bool next_batch();
  void skip_chunk();
  void take(const trace::Event &event);
  void follow(const trace::Event &event);
  void append(uint32_t from, uint32_t to);
  bool keeps_all() const;
  bool is_kept(uint32_t i) const;
  bool writes_back(uint32_t i) const;
  Owner owner_of(uint64_t object, uint64_t address);
  Owner page_owner(uint64_t page);

  trace::Reader &reader_;
  std::optional<trace::Batches> batches_;
  size_t chunk_ = 0;  // with windows: the next one
  size_t window_ = 0; // the next one, or the one that it is in
  bool in_window_ = false;
  std::vector<trace::Event> skipped_;
  std::span<const trace::Event> events_;
  std::vector<MemoryEvent> memory_events_;
  std::optional<uint64_t> gap_; // where accesses were left out, until the first event behind them
  Layout &layout_;
  ReplayOptions options_;
  std::vector<Owner> owner_of_object_;
  std::unordered_map<uint64_t, Owner> page_numbers_;
  std::vector<uint64_t> pages_;
  uint64_t last_page_ = ~uint64_t{0};
  Owner last_page_owner_ = 0;
  std::vector<uint64_t> addresses_;
  std::vector<uint32_t> sizes_;
  std::vector<Kind> kinds_;
  std::vector<uint32_t> threads_;
  std::vector<Owner> owners_;
  std::vector<uint64_t> codes_;
  std::vector<uint64_t> recorded_;
  bool has_codes_ = false;
};

} // namespace abut::sim
