#include "fuzz/ledger.hpp"

#include "support/pattern.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <utility>

namespace fuzz {
namespace {

std::uintptr_t address_of(const Entry &entry) {
  return reinterpret_cast<std::uintptr_t>(entry.start);
}

std::size_t required_alignment(const Entry &entry) {
  if (entry.alignment != 0) return entry.alignment;
  return entry.size >= 16 ? 16 : entry.size >= 8 ? 8 : 1;
}

} // namespace

void report(const char *broken_rule, const Entry &entry) {
  std::fprintf(stderr, "heap_model: %s: block %p of %zu bytes, alignment %zu, key %" PRIu64 "\n",
               broken_rule, entry.start, entry.size, entry.alignment, entry.key);
  std::abort();
}

void Ledger::check_place(const Entry &entry) {
  if (entry.start == nullptr) report("the heap refused a modest request", entry);
  if (address_of(entry) % required_alignment(entry) != 0) report("misaligned", entry);
  if (malloc_usable_size(entry.start) < entry.size)
    report("its usable size is less than was asked for", entry);
  if (!checks_overlap_) return;
  const std::uintptr_t start = address_of(entry);
  const std::uintptr_t end = start + std::max(entry.size, std::size_t{1});
  const auto next = live_.lower_bound(start);
  if (next != live_.end() && next->first < end) report("it overlaps the block after it", entry);
  if (next != live_.begin() && std::prev(next)->second > start)
    report("it overlaps the block before it", entry);
  live_.emplace(start, end);
}

void Ledger::enter(std::size_t slot, const Entry &entry) { enter_resized(slot, entry, 0); }

void Ledger::enter_resized(std::size_t slot, const Entry &entry, std::size_t kept) {
  check_place(entry);
  if (!support::holds_sparsely(entry.start, kept, entry.key))
    report("a resize lost its contents", entry);
  support::fill_sparsely(entry.start, entry.size, entry.key);
  live_bytes_ += entry.size;
  at(slot) = entry;
}

Entry Ledger::strike(std::size_t slot) {
  verify(slot);
  const Entry entry = at(slot);
  forget(slot);
  return entry;
}

void Ledger::forget(std::size_t slot) {
  const Entry entry = std::exchange(at(slot), Entry{});
  live_bytes_ -= entry.size;
  live_.erase(address_of(entry));
}

void Ledger::verify(std::size_t slot) {
  const Entry &entry = at(slot);
  if (entry.start != nullptr && !support::holds_sparsely(entry.start, entry.size, entry.key))
    report("its contents changed", entry);
}

void Ledger::fill_usable(std::size_t slot) {
  Entry &entry = at(slot);
  if (entry.start == nullptr || entry.maker != Entry::Maker::malloc) return;
  const std::size_t usable = malloc_usable_size(entry.start);
  live_bytes_ += usable - entry.size;
  entry.size = usable;
  if (checks_overlap_) {
    const auto self = live_.find(address_of(entry));
    self->second = address_of(entry) + std::max(usable, std::size_t{1});
    if (std::next(self) != live_.end() && std::next(self)->first < self->second)
      report("its usable bytes overlap the block after it", entry);
  }
  support::fill_sparsely(entry.start, usable, entry.key);
}

} // namespace fuzz
