#include "trace/combinations.hpp"

#include "trace/tag_choice.hpp"

#include <algorithm>

namespace abut::trace {

namespace {

constexpr size_t kFirstSlots = size_t{1} << 12;

uint64_t mixed(uint64_t value) {
  value *= 0x9e3779b97f4a7c15U;
  return value ^ (value >> 29);
}

uint64_t hash_of(const Combination &c) {
  const uint64_t small = uint64_t{c.size} << 16 | uint64_t{c.distance} << 3 |
                         uint64_t{c.kind} << 1 | (c.relative ? 1 : 0);
  return mixed(mixed(mixed(small) + c.object_step) + c.offset_step);
}

void put_low_bytes(Bytes &bytes, uint64_t value, uint32_t width) {
  for (uint32_t i = 0; i < width; ++i) bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

} // namespace

Combinations::Combinations() { clear(); }

void Combinations::clear() {
  Combination none; // foretells no access
  none.kind = kKinds;
  all_.assign(1, none);
  slots_.assign(kFirstSlots, 0);
}

size_t Combinations::slot_of(const Combination &combination) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = hash_of(combination) & mask;
  while (slots_[slot] != 0 && !(all_[slots_[slot]] == combination)) slot = (slot + 1) & mask;
  return slot;
}

uint32_t Combinations::number_of(const Combination &combination) {
  const size_t slot = slot_of(combination);
  if (slots_[slot] != 0) return slots_[slot];
  const uint32_t number = count();
  all_.push_back(combination);
  slots_[slot] = number;
  if (all_.size() * 2 > slots_.size()) grow();
  return number;
}

void Combinations::grow() {
  slots_.assign(slots_.size() * 2, 0);
  for (uint32_t number = 1; number < count(); ++number) slots_[slot_of(all_[number])] = number;
}

void Combinations::encode(const std::vector<uint32_t> &chosen, const OpenSteps &open,
                          AccessColumns &columns) const {
  const TagChoice choice(all_, chosen);
  put_tags(columns.dictionary, choice.tags());
  columns.tags.reserve(chosen.size());
  auto object = open.objects.begin();
  auto offset = open.offsets.begin();
  for (const uint32_t number : chosen) {
    const uint8_t name = choice.tag_of(number);
    const Tag &tag = choice.tags()[name];
    const Combination &told = all_[number];
    columns.tags.push_back(name);
    if (tag.distance == 0) put_low_bytes(columns.distances, told.distance - 1, sizeof(uint16_t));
    if (!tag.sized) put_low_bytes(columns.sizes, told.size, sizeof(uint32_t));
    const uint64_t object_step = told.object_width == Width::none ? told.object_step : *object++;
    const uint64_t offset_step = told.offset_width == Width::none ? told.offset_step : *offset++;
    put_low_bytes(columns.objects, object_step - tag.object_step, bytes_of(tag.object_width));
    put_low_bytes(columns.offsets, offset_step - tag.offset_step, bytes_of(tag.offset_width));
  }
}

} // namespace abut::trace
