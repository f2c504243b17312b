#include "sim/tree/utilisation.hpp"

#include "base/units.hpp"

#include <algorithm>
#include <bit>

namespace abut::sim {
namespace {

constexpr uint32_t kParts = 64;

std::variant<Lru, FullLru> make_lines(const LevelSettings &settings) {
  const SetShape shape{settings.sets(), settings.ways_in_set(), 1};
  if (shape.sets == 1 && shape.ways > 16) return FullLru(shape);
  return Lru(shape);
}

} // namespace

UsedLines::UsedLines(const LevelSettings &settings)
    : sets_(settings.sets()), line_shift_(static_cast<unsigned>(std::countr_zero(settings.line))),
      part_shift_(settings.line > kParts
                      ? static_cast<unsigned>(std::countr_zero(settings.line / kParts))
                      : 0),
      lines_(make_lines(settings)), held_(settings.lines() + 1),
      newest_(settings.sets() & (~settings.sets() + 1)) {
  for (auto slot = static_cast<uint32_t>(held_.size()); slot != 0; --slot)
    free_.push_back(slot - 1);
}

inline uint64_t UsedLines::parts(uint64_t first, uint64_t last) const {
  const uint64_t within = line_bytes() - 1;
  const uint64_t from = (first & within) >> part_shift_;
  const uint64_t to = (last & within) >> part_shift_;
  return (~uint64_t{0} >> (kParts - 1 - (to - from))) << from;
}

inline void UsedLines::use(uint64_t first, uint64_t last, const Reference &reference) {
  const uint64_t line = first >> line_shift_;
  Newest &newest = newest_[line & (newest_.size() - 1)];
  if (newest.line != line) newest = {line, &held(line, reference)};
  newest.held->used |= parts(first, last);
}

void UsedLines::take(const References &references) {
  for (size_t i = 0; i < references.count(); ++i) {
    const Reference reference = references[i];
    const Extent extent = extent_of(reference.address, reference.size);
    if ((extent.first ^ extent.last) < line_bytes()) [[likely]] {
      use(extent.first, extent.last, reference);
      continue;
    }
    for (uint64_t at = extent.first; at <= extent.last;) {
      const uint64_t end = std::min(at | (line_bytes() - 1), extent.last);
      use(at, end, reference);
      at = end + 1;
    }
  }
}

template <typename Lines>
UsedLines::Held &UsedLines::held_in(Lines &lines, uint64_t line, const Reference &reference) {
  const uint64_t set = sets_.set_of(line);
  if (lines.find(set, line) != nullptr) return held_[slots_.find(line)->second];
  const uint32_t slot = free_.back();
  free_.pop_back();
  held_[slot] = {0, reference.owner, side_of(reference.kind), true};
  slots_.emplace(line, slot);
  const Entry left = lines.insert(set, Entry::of(line));
  if (left.empty()) return held_[slot];
  const auto evicted = slots_.find(left.line());
  const uint32_t old = evicted->second;
  add(held_[old], counts_);
  held_[old].there = false;
  slots_.erase(evicted);
  free_.push_back(old);
  return held_[slot];
}

UsedLines::Held &UsedLines::held(uint64_t line, const Reference &reference) {
  return std::visit([&](auto &lines) -> Held & { return held_in(lines, line, reference); }, lines_);
}

void UsedLines::add(const Held &held, UtilisationCounts &counts) const {
  const auto used = static_cast<uint64_t>(std::popcount(held.used));
  const uint64_t bytes = used << part_shift_;
  const uint64_t parts = std::min<uint64_t>(line_bytes(), kParts);
  counts.lines[index_of(held.side)] += 1;
  counts.used[index_of(held.side)] += bytes;
  ++counts.by_parts[used * kParts / parts];
  if (held.owner == 0) return;
  count_owner(counts.lines_by_owner, held.owner);
  if (counts.used_by_owner.size() < counts.lines_by_owner.size())
    counts.used_by_owner.resize(counts.lines_by_owner.size());
  counts.used_by_owner[held.owner] += bytes;
}

void UsedLines::add_to(UtilisationCounts &counts) const {
  sim::add_to(counts.lines, counts_.lines);
  sim::add_to(counts.used, counts_.used);
  sim::add_to(counts.by_parts, counts_.by_parts);
  sim::add_to(counts.lines_by_owner, counts_.lines_by_owner);
  sim::add_to(counts.used_by_owner, counts_.used_by_owner);
  for (const Held &held : held_)
    if (held.there) add(held, counts);
}

trace::Result<std::unique_ptr<Utilisation>> Utilisation::make(const LevelSettings &settings) {
  trace::Result<LevelSettings> shape = shape_of(settings);
  if (!shape) return shape.error();
  return std::unique_ptr<Utilisation>(new Utilisation(shape.value()));
}

void Utilisation::take(const References &references) {
  take_apart(settings_, references, [this](uint32_t thread, const References &own) {
    threads_.of(thread, [this] { return std::make_unique<UsedLines>(settings_); }).take(own);
  });
}

UtilisationCounts Utilisation::counts() const {
  UtilisationCounts counts;
  for (const auto &lines : threads_.all()) lines->add_to(counts);
  return counts;
}

} // namespace abut::sim
