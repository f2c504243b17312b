#include "survey/line_contents.hpp"

#include "trace/rows.hpp"

#include <algorithm>
#include <bit>

namespace abut::report {

using trace::EventKind;

LineContents::LineContents(uint32_t sets, uint32_t ways)
    : sets_(std::max(sets, 1U)), ways_(std::max(ways, 1U)), held_(size_t{sets_} * ways_) {}

void LineContents::take(const trace::Event &event) {
  switch (event.kind) {
  case EventKind::allocate:
    if (!trace::grow_to(objects_, event.object)) return;
    objects_[event.object].context = event.context;
    return put(event.object, event);
  case EventKind::resize:
  case EventKind::move:
    if (known(event.object).live) put(event.object, event);
    return;
  case EventKind::free:
    if (!known(event.object).live) return;
    mark(objects_[event.object], 0);
    objects_[event.object].live = false;
    return;
  default: return;
  }
}

void LineContents::put(uint64_t number, const trace::Event &event) {
  Object &object = objects_[number];
  if (object.live) mark(object, 0);
  object = {event.address, event.size, object.context, true};
  mark(object, static_cast<uint32_t>(number));
}

// Of large objects only the ends, where they share lines with others.
void LineContents::mark(const Object &object, uint32_t number) {
  const uint64_t end = object.address + object.size;
  if (object.size <= kPage) return mark(object.address, end, number);
  mark(object.address, object.address + kLine, number);
  mark(end - kLine, end, number);
}

void LineContents::mark(uint64_t from, uint64_t to, uint32_t number) {
  for (uint64_t at = from / kGranule; at * kGranule < to;) {
    std::unique_ptr<Page> &page = pages_[at * kGranule / kPage];
    if (page == nullptr) page = std::make_unique<Page>();
    do (*page)[at % page->size()] = number;
    while (++at * kGranule < to && at % page->size() != 0);
  }
}

uint32_t LineContents::object_at(uint64_t address) {
  const auto found = pages_.find(address / kPage);
  return found == pages_.end() ? 0 : (*found->second)[address / kGranule % found->second->size()];
}

void LineContents::use(uint64_t object, uint64_t offset, uint32_t size) {
  const Object &own = known(object);
  if (own.size == 0) return;
  ++trace::row_of(contexts_, own.context)
        .uses[std::min<uint64_t>(offset / kWord, Brought::kFields - 1)];
  const uint64_t first = own.address + offset;
  const uint64_t last = first + std::clamp<uint64_t>(size, 1, kPage) - 1;
  for (uint64_t line = first / kLine; line <= last / kLine; ++line) {
    const uint64_t from = std::max(first, line * kLine) % kLine / kWord;
    const uint64_t to = std::min(last, line * kLine + kLine - 1) % kLine / kWord;
    const auto words = static_cast<uint8_t>((0xffU >> (7 - to)) & (0xffU << from));
    use_line(line, words, static_cast<uint32_t>(object), offset / kWord);
  }
}

void LineContents::use_line(uint64_t line, uint8_t words, uint32_t object, uint64_t field) {
  Held *const begin = &held_[line % sets_ * ways_];
  Held *oldest = begin;
  for (Held *way = begin; way != begin + ways_; ++way) {
    if (way->line == line) {
      way->used |= words;
      way->used_at = ++clock_;
      return;
    }
    if (way->used_at < oldest->used_at) oldest = way;
  }
  const Object &own = objects_[object];
  Brought &brought = trace::row_of(contexts_, own.context);
  ++brought.by_field[std::min<uint64_t>(field, Brought::kFields - 1)];
  ++brought.by_set[line % sets_ * Brought::kSets / std::max<uint64_t>(sets_, Brought::kSets)];
  const uint64_t first = own.address / kLine;
  const uint64_t last = (own.address + own.size - 1) / kLine;
  if (own.size <= kLine && first != last)
    brought.straddled += static_cast<uint64_t>(holds(line == first ? last : first));
  leave(*oldest);
  *oldest = {line, ++clock_, object, words};
}

bool LineContents::holds(uint64_t line) const {
  const Held *const begin = &held_[line % sets_ * ways_];
  return std::any_of(begin, begin + ways_, [&](const Held &way) { return way.line == line; });
}

void LineContents::leave(const Held &held) {
  if (held.object == 0) return;
  const Object &own = objects_[held.object];
  Brought &brought = trace::row_of(contexts_, own.context);
  ++brought.lines;
  brought.used += static_cast<uint64_t>(std::popcount(held.used));
  for (uint64_t word = 0; word < kLine / kWord; ++word) {
    if ((held.used >> word & 1) != 0) continue;
    const uint64_t address = held.line * kLine + word * kWord;
    if (address - own.address < own.size) {
      ++brought.own;
      continue;
    }
    const uint32_t there = object_at(address);
    // A granule's second half may lie behind its object.
    if (there == 0 || address - known(there).address >= known(there).size) continue;
    const uint32_t context = known(there).context;
    ++(context == own.context ? brought.alike : brought.others);
    mates_.add(own.context, context);
  }
}

void LineContents::finish() {
  for (Held &held : held_) {
    leave(held);
    held = {};
  }
}

} // namespace abut::report
