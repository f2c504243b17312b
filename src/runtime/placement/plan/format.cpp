#include "placement/plan/format.hpp"

#include "placement/plan/slot_reader.hpp"

#define XXH_INLINE_ALL
#define XXH_NO_STREAM
#include <xxhash.h>

namespace abut::plan {
namespace {

constexpr size_t kCheckedHead = sizeof(Header) - sizeof(uint64_t);

const char *check_header(std::span<const uint8_t> file, const Header &header) {
  if (header.magic != kMagic) return "it is no plan";
  if (header.version != kVersion) return "it is of another version of the format";
  if (checksum(file.first(kCheckedHead)) != header.head_checksum) return "its head is damaged";
  if (header.file_bytes != file.size())
    return "it is not as long as it says: cut short, or added to";
  if (header.modules > kMostModules || header.contexts > kMostContexts ||
      header.pools > kMostPools || header.slots > kMostSlots)
    return "it says that it holds more than a plan can";
  if (header.steps == 0 || header.steps > kMostSteps) return "its chains are of no length";
  if (header.memory_bytes > kMostBytes || header.memory_bytes % kPoolAlign != 0)
    return "it needs memory that a plan cannot have";
  if (header.reserved != 0 || header.strategy.back() != 0) return "its head is not as it must be";
  return nullptr;
}

const char *check_module(const Module &module) {
  if (module.length == 0 || module.length > module.build_id.size())
    return "a module has no build-id";
  return nullptr;
}

const char *check_context(const Context &context, const View &view) {
  if (context.steps[0].module == 0) return "a context has no chain";
  bool ended = false;
  for (uint32_t i = 0; i < kMostSteps; ++i) {
    const Step &step = context.steps[i];
    if (step.module > view.header->modules) return "a context is of a module that there is not";
    ended |= step.module == 0;
    if (step.module != 0 && (ended || i >= view.header->steps))
      return "a context's chain is longer than the plan's";
  }
  if (context.pool > view.header->pools) return "a context is of a pool that there is not";
  if (context.pool != 0 && context.slots != 0) return "a context has a pool and slots";
  return nullptr;
}

// Pools lie behind all slots, in the order of their addresses, and none in another: `end` is where the last one ended.
const char *check_pool(const Pool &pool, uint64_t memory, uint64_t &end) {
  if (pool.offset % kPoolAlign != 0 || pool.bytes % kPoolAlign != 0 || pool.bytes == 0 ||
      pool.offset > memory || pool.bytes > memory - pool.offset)
    return "a pool lies outside the plan's memory";
  if (pool.offset < end) return "a pool lies in another";
  end = pool.offset + pool.bytes;
  return nullptr;
}

bool fits(const Slot &slot, uint64_t memory) {
  if (slot.requested == 0 || slot.requested > kMostObject) return false;
  if (slot.kept == 0) return slot.offset == 0;
  return slot.requested <= slot.kept && slot.kept <= kMostObject &&
         (uint64_t{slot.offset} + slot.kept) * kGranule <= memory;
}

// Every context's slots follow those of the one before, and there is nothing else.
const char *check_slots(const View &view) {
  const uint64_t memory =
      view.pools.empty() ? view.header->memory_bytes : view.pools.front().offset;
  const uint8_t *at = view.slots.data();
  const uint8_t *end = at + view.slots.size();
  uint64_t count = 0;
  for (const Context &context : view.contexts) {
    if (context.first_byte != static_cast<uint64_t>(at - view.slots.data()))
      return "a context's slots are not where they must be";
    SlotReader reader(at);
    for (uint32_t i = 0; i < context.slots; ++i) {
      Slot slot;
      if (!reader.next_checked(end, slot)) return "a context has slots that there are not";
      if (!fits(slot, memory)) return "a slot lies outside the memory for slots";
    }
    at = reader.at();
    count += context.slots;
  }
  return at == end && count == view.header->slots ? nullptr : "it holds slots of no context";
}

template <typename Part>
std::span<const Part> take(std::span<const uint8_t> &rest, uint64_t count) {
  const std::span<const Part> parts{reinterpret_cast<const Part *>(rest.data()), count};
  rest = rest.subspan(parts.size_bytes());
  return parts;
}

} // namespace

uint64_t checksum(std::span<const uint8_t> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

const char *check(std::span<const uint8_t> file, View &view) {
  if (file.size() < sizeof(Header)) return "it is too short for a plan";
  View found;
  found.header = reinterpret_cast<const Header *>(file.data());
  const Header &header = *found.header;
  if (const char *wrong = check_header(file, header)) return wrong;
  std::span<const uint8_t> rest = file.subspan(sizeof(Header));
  const uint64_t wanted = header.modules * sizeof(Module) + header.contexts * sizeof(Context) +
                          header.pools * sizeof(Pool);
  if (rest.size() < wanted) return "it is not as long as what it says it holds";
  if (checksum(rest) != header.checksum) return "it is damaged";
  found.modules = take<Module>(rest, header.modules);
  found.contexts = take<Context>(rest, header.contexts);
  found.pools = take<Pool>(rest, header.pools);
  found.slots = rest;
  for (const Module &module : found.modules)
    if (const char *wrong = check_module(module)) return wrong;
  for (const Context &context : found.contexts)
    if (const char *wrong = check_context(context, found)) return wrong;
  uint64_t end = 0;
  for (const Pool &pool : found.pools)
    if (const char *wrong = check_pool(pool, header.memory_bytes, end)) return wrong;
  if (const char *wrong = check_slots(found)) return wrong;
  view = found;
  return nullptr;
}

} // namespace abut::plan
