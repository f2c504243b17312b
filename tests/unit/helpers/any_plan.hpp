// Bytes made into a plan whose checksums are right, whatever else is wrong with it: so that what is behind them is tested.
#pragma once

#include "placement/plan/slot_reader.hpp"

#include <cstring>
#include <vector>

namespace abut::test {

// Whether a plan that was found sound is not; false where it is, or was refused.
inline bool is_unsound(const plan::View &view) {
  const uint64_t memory = view.header->memory_bytes;
  const uint64_t for_slots = view.pools.empty() ? memory : view.pools[0].offset;
  for (const plan::Pool &pool : view.pools)
    if (pool.offset + pool.bytes > memory) return true;
  for (const plan::Context &context : view.contexts) {
    if (context.first_byte > view.slots.size()) return true;
    plan::SlotReader reader(view.slots.data() + context.first_byte);
    for (uint32_t i = 0; i < context.slots; ++i) {
      const plan::Slot slot = reader.next();
      if (reader.at() > view.slots.data() + view.slots.size()) return true;
      if (slot.requested == 0 || slot.kept > plan::kMostObject) return true;
      if ((uint64_t{slot.offset} + slot.kept) * plan::kGranule > for_slots) return true;
    }
    if (context.pool > view.pools.size()) return true;
    for (const plan::Step &step : context.steps)
      if (step.module > view.modules.size()) return true;
  }
  return false;
}

enum class Verdict : uint8_t { refused, sound, unsound };

inline Verdict check_any_plan(std::span<const uint8_t> bytes) {
  std::vector<uint64_t> words((bytes.size() + 7) / 8);
  auto *file = reinterpret_cast<uint8_t *>(words.data());
  if (!bytes.empty()) std::memcpy(file, bytes.data(), bytes.size());
  const std::span<const uint8_t> all(file, bytes.size());
  if (bytes.size() >= sizeof(plan::Header)) {
    auto *header = reinterpret_cast<plan::Header *>(file);
    header->magic = plan::kMagic;
    header->version = plan::kVersion;
    header->file_bytes = bytes.size();
    header->checksum = plan::checksum(all.subspan(sizeof(plan::Header)));
    header->head_checksum = plan::checksum(all.first(offsetof(plan::Header, head_checksum)));
  }
  plan::View view;
  if (plan::check(all, view) != nullptr) return Verdict::refused;
  return is_unsound(view) ? Verdict::unsound : Verdict::sound;
}

} // namespace abut::test
