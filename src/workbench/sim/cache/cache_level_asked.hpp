// What a cache does when the levels around it ask. A part of cache_level.cpp, which alone includes it.
#pragma once

#include "sim/cache/cache_level.hpp"

namespace abut::sim {

template <Replacement Sets>
bool CacheLevel<Sets>::fetch(const Request &request, Purpose purpose) {
  const bool demand = purpose == Purpose::demand;
  ++(demand ? counts.accesses[request.kind] : counts.prefetch_fetches);
  const uint64_t line = request.address >> line_shift_;
  const uint8_t sectors = sectors_of(request);
  const MissClass why = classes_ && demand ? classes_->use(line, true) : MissClass::compulsory;
  Entry *entry = lines_.find(sets_.set_of(line), line);
  const bool found = entry != nullptr && (sectors & ~entry->sectors()) == 0;
  last_unit_ = kNoUnit;
  if (!found && demand) miss(request, entry != nullptr ? MissClass::sector : why);
  if (exclusive()) {
    if (!found) return below->fetch(request, purpose);
    return lines_.remove(sets_.set_of(line), line).dirty();
  }
  const bool triggers = !found || entry->prefetched();
  if (found && triggers) use_prefetched(*entry, side_of(request.kind));
  if (!found) bring(request, entry, sectors, 0, purpose);
  if (prefetcher_ && demand) run_ahead(request, line, triggers);
  return false;
}

// A dirty line that is not here any more goes on.
template <Replacement Sets>
void CacheLevel<Sets>::write_back(const Request &request) {
  const uint64_t line = request.address >> line_shift_;
  Entry *entry = lines_.peek(sets_.set_of(line), line);
  if (entry != nullptr && settings_.write_back)
    entry->add(Entry::kDirty);
  else
    below->write_back(request);
}

template <Replacement Sets>
void CacheLevel<Sets>::take_victim(const Request &request, bool dirty) {
  const uint64_t line = request.address >> line_shift_;
  const uint64_t flag = dirty ? Entry::kDirty : 0;
  Entry *entry = lines_.find(sets_.set_of(line), line);
  if (entry != nullptr)
    entry->add(flag);
  else
    fill(line, flag | flag_of(side_of(request.kind)), all_sectors_);
}

template <Replacement Sets>
bool CacheLevel<Sets>::leave(uint64_t address, uint32_t size) {
  bool dirty = false;
  for (Level *upper : above) dirty |= upper->leave(address, size);
  const uint64_t end = (address + size) >> line_shift_;
  for (uint64_t line = address >> line_shift_; line < end; ++line) {
    const Entry entry = lines_.remove(sets_.set_of(line), line);
    if (entry.empty()) continue;
    ++counts.taken_back;
    if (entry.prefetched()) {
      ++counts.prefetches[entry.by_allocator() ? 1 : 0].unused;
      issued_at_.erase(line);
    }
    dirty |= entry.dirty();
  }
  last_unit_ = kNoUnit;
  return dirty;
}

} // namespace abut::sim
