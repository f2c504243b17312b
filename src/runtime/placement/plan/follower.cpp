#include "placement/plan/follower.hpp"

#include "context/build_id.hpp"
#include "heap/placed_blocks.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

namespace abut::plan {

constinit Follower follower;
constinit context::ChainTable Follower::chain_table;

namespace {

bool is_module(const Module &module, context::BuildId id) {
  return module.length == id.size() &&
         std::memcmp(module.build_id.data(), id.data(), id.size()) == 0;
}

} // namespace

// The first module is the program that was recorded.
const char *Follower::open(const View &view, bool mapped) {
  const context::BuildId program = context::build_id(context::program());
  if (program.empty())
    return "this program has no build-id, so it cannot be known whether the plan is for it";
  if (view.modules.empty() || !is_module(view.modules[0], program))
    return "it is for another program, or another build of this one";
  if (!chain_table.open()) return "there is no memory for the table of its contexts";
  view_ = view;
  mapped_ = mapped;
  alone_ = os::one_thread_flag();
  chain_table.configure(static_cast<context::ChainMode>(view.header->steps));
  heap::placed_blocks.usable = [](Address address) { return follower.usable(address); };
  heap::placed_blocks.release = [](Address address) { return follower.release(address); };
  enable(Policy::plan);
  return nullptr;
}

// A program that never comes to what is in its plan is not charged for the plan's memory. False where there is none to be
// had: then the plan is done with.
bool Follower::has_memory() {
  if (cursors_ != nullptr) return true;
  if (stopped_.load(std::memory_order_relaxed)) return false;
  uint64_t room = 0;
  for (const Context &context : view_.contexts) room += std::min(context.slots, kDecoded);
  const size_t cursors = view_.contexts.size() * sizeof(Cursor);
  void *behind = memory_.open(view_, alignof(Cursor) + cursors + room * sizeof(Slot));
  if (behind == nullptr) {
    stop();
    return false;
  }
  cursors_ =
      reinterpret_cast<Cursor *>(round_up(reinterpret_cast<Address>(behind), alignof(Cursor)));
  room_ = reinterpret_cast<Slot *>(cursors_ + view_.contexts.size());
  return true;
}

// How many requests had to do with the plan.
uint64_t Follower::progress() const {
  uint64_t all = 0;
  if (cursors_ == nullptr) return all;
  for (uint64_t i = 0; i < view_.contexts.size(); ++i)
    all += cursors_[i].come() + cursors_[i].missed + cursors_[i].pooled;
  return all;
}

// Those that have are not counted one by one, since that would cost each of them a store.
void Follower::rest() {
  std::lock_guard guard(lock_);
  if (const uint64_t now = progress(); now != progress_seen_) {
    progress_seen_ = now;
    std::atomic_ref(passes_left_).store(kPatience, std::memory_order_relaxed);
    return;
  }
  disable(Policy::plan);
  rests_.fetch_add(1, std::memory_order_relaxed);
}

void Follower::resume_when_grown(size_t bytes) {
  if (stopped_.load(std::memory_order_relaxed)) return;
  if (bytes < next_look_.load(std::memory_order_relaxed)) return;
  std::atomic_ref left(passes_left_);
  if (left.load(std::memory_order_relaxed) != 0) return;
  next_look_.store(bytes + bytes / 8, std::memory_order_relaxed);
  left.store(kExamined, std::memory_order_relaxed);
  enable(Policy::plan);
}

bool Follower::release(Address address) {
  const uint32_t pool = memory_.pool_of(address);
  if (pool == 0) return memory_.give_back(address) != 0;
  std::lock_guard guard(lock_);
  const uint32_t count = memory_.give_back(address);
  if (count == 0) return false;
  memory_.keep_for_pool(pool, address, count);
  return true;
}

// A step as the plan has them; false for code that is in none of its modules.
bool Follower::step_of(Address return_address, Step &step) {
  const context::LoadedObject object = context::object_around(return_address - 1);
  const context::BuildId id = context::build_id(object);
  if (id.empty()) return false;
  const Address offset = return_address - 1 - context::load_bias(object);
  for (uint32_t i = 0; i < view_.modules.size(); ++i)
    if (is_module(view_.modules[i], id)) {
      step = {i + 1, static_cast<uint32_t>(offset)};
      return offset <= UINT32_MAX;
    }
  return false;
}

const Context *Follower::find(const Step *steps, uint32_t count) const {
  for (const Context &context : view_.contexts) {
    bool same = true;
    for (uint32_t i = 0; same && i < kMostSteps; ++i) {
      const Step wanted = i < count ? steps[i] : Step{0, 0};
      same = context.steps[i].module == wanted.module &&
             (wanted.module == 0 || context.steps[i].offset == wanted.offset);
    }
    if (same) return &context;
  }
  return nullptr;
}

// A chain that was not met before: is it in the plan?
uintptr_t Follower::meet(context::Entry *entry, context::Frame frame) {
  Address addresses[kMostSteps];
  const unsigned depth = chain_table.capture(frame, addresses, view_.header->steps);
  Step steps[kMostSteps];
  uint32_t count = 0;
  while (count < depth && step_of(addresses[count], steps[count])) ++count;
  const Context *context = count == 0 ? nullptr : find(steps, count);
  uintptr_t known = kPlain;
  std::lock_guard guard(lock_);
  if (context != nullptr && entry != chain_table.catch_all() && has_memory()) {
    Cursor &cursor = cursors_[context - view_.contexts.data()];
    if (cursor.entry == nullptr) {
      cursor.slots = room_;
      cursor.next = cursor.end = room_;
      room_ += std::min(context->slots, kDecoded);
      cursor.mapped = view_.slots.data() + context->first_byte;
      cursor.coded = SlotReader(cursor.mapped);
      cursor.total = context->slots;
      cursor.pool = context->pool;
      cursor.entry = entry;
    }
    known = cursor.disabled ? kPlain : reinterpret_cast<uintptr_t>(&cursor);
  }
  const bool near = entry->kind.load(std::memory_order_relaxed) == context::EntryKind::leaf;
  entry->payload.store(near ? known : known | kFar, std::memory_order_release);
  return known;
}

void *Follower::allocate(size_t bytes, context::Frame frame) {
  context::Entry *entry = chain_table.find(frame);
  uintptr_t known = entry->payload.load(std::memory_order_acquire) & ~kFar;
  if (known == 0) {
    known = meet(entry, frame);
  } else if (known == kPlain && !passes()) {
    rest();
  }
  if (known == kPlain) return nullptr;
  auto &cursor = *reinterpret_cast<Cursor *>(known);
  return os::has_one_thread() ? next(cursor, granules_of(bytes), true)
                              : next_locked(cursor, granules_of(bytes));
}

// Nothing of this context is looked for any more.
void Follower::pass_by(context::Entry &entry) {
  const uintptr_t far = entry.payload.load(std::memory_order_relaxed) & kFar;
  entry.payload.store(kPlain | far, std::memory_order_release);
}

void *Follower::next_locked(Cursor &cursor, uint32_t count) {
  std::lock_guard guard(lock_);
  return next(cursor, count, false);
}

// As many slots as there is room for, from the next one on.
void Follower::decode(Cursor &cursor) {
  Slot *to = std::copy(cursor.next, cursor.end, cursor.slots);
  const auto room = static_cast<uint32_t>(cursor.slots + kDecoded - to);
  const Slot *end = to + std::min(room, cursor.total - cursor.decoded);
  cursor.decoded += static_cast<uint32_t>(end - to);
  SlotReader coded = cursor.coded;
  while (to < end) *to++ = coded.next();
  cursor.coded = coded;
  cursor.next = cursor.slots;
  cursor.end = end;
  if (mapped_) give_back_decoded(cursor);
}

// Whole stretches that hold nothing but slots of this context, which are not read again.
void Follower::give_back_decoded(Cursor &cursor) const {
  const Address from = round_up(reinterpret_cast<Address>(cursor.mapped), kStretch);
  const Address to = round_down(reinterpret_cast<Address>(cursor.coded.at()), kStretch);
  if (from >= to) return;
  os::unmap(reinterpret_cast<void *>(from), to - from);
  cursor.mapped = reinterpret_cast<const uint8_t *>(to);
}

// The slots that are decoded, or all of them, have been used; or the context has a pool, and never had any.
void *Follower::beyond(Cursor &cursor, uint32_t count) {
  if (cursor.decoded < cursor.total) {
    decode(cursor);
    return next(cursor, count, false);
  }
  if (cursor.pool != 0) {
    void *block = memory_.take_from_pool(cursor.pool, count);
    cursor.pooled += block != nullptr;
    cursor.missed += block == nullptr;
    return block;
  }
  pass_by(*cursor.entry);
  return nullptr;
}

void *Follower::find_again(Cursor &cursor, uint32_t count) {
  if (cursor.end - cursor.next < kLooksAhead && cursor.decoded < cursor.total) decode(cursor);
  const Slot *end = cursor.next + std::min<ptrdiff_t>(cursor.end - cursor.next, kLooksAhead);
  for (const Slot *at = cursor.next + 1; at < end; ++at) {
    const Slot slot = *at;
    if (slot.requested != count) continue;
    cursor.skipped += static_cast<uint32_t>(at - cursor.next);
    cursor.next = at + 1;
    evaluate(cursor);
    return settle(cursor, slot, false);
  }
  ++cursor.missed;
  evaluate(cursor);
  return nullptr;
}

// Of the last objects that came and slots that were passed, fewer than a quarter met: the context is disabled.
void Follower::evaluate(Cursor &cursor) {
  const uint32_t misses = cursor.missed + cursor.skipped;
  if (misses - cursor.evaluated_misses < kEvaluateEvery) return;
  const uint32_t met = cursor.come() - cursor.evaluated - (cursor.skipped - cursor.evaluated_skips);
  cursor.evaluated_misses = misses;
  cursor.evaluated_skips = cursor.skipped;
  cursor.evaluated = cursor.come();
  if (met >= kEvaluateEvery / 3) return;
  cursor.disabled = true;
  pass_by(*cursor.entry);
}

Counts Follower::counts() const {
  Counts all;
  all.contexts = view_.contexts.size();
  all.rests = rests_.load(std::memory_order_relaxed);
  if (cursors_ == nullptr) return all;
  for (uint64_t i = 0; i < all.contexts; ++i) {
    const Cursor &cursor = cursors_[i];
    all.met += cursor.entry != nullptr;
    all.disabled += cursor.disabled;
    all.placed += cursor.pooled + cursor.come() - cursor.skipped - cursor.occupied - cursor.left;
    all.left += cursor.left;
    all.occupied += cursor.occupied;
    all.missed += cursor.missed;
    all.skipped += cursor.skipped;
  }
  return all;
}

} // namespace abut::plan
