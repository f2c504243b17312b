#include "placement/friends/contexts.hpp"

#include "placement/friends/sample_times.hpp"
#include "placement/pools/assigned.hpp"

#include <mutex>
#include <new>

namespace abut::near {

Context *contexts = nullptr;
uint32_t context_count = 0;
os::SpinLock learning;

namespace {

constexpr uint32_t kContexts = 4096;

template <class Item>
Item *map_items(size_t count) {
  return static_cast<Item *>(os::map(round_up(count * sizeof(Item), kPageBytes)));
}

Context *new_context(Address site, context::Entry *leaf) {
  if (contexts == nullptr) contexts = map_items<Context>(kContexts);
  if (contexts == nullptr || context_count == kContexts) return nullptr;
  auto *made = new (&contexts[context_count++]) Context;
  made->site = site;
  made->leaf = leaf;
  made->countdown = made->patience = kFirstLook;
  sample_longer();
  return made;
}

context::Entry *leaf_of(const Captured &captured) {
  return context::chain_table.find(frame_of(captured));
}

enum class May : uint8_t { no, yes, unknown };

// Whether a chain's objects may have friends: what a profile says of it holds. Unknown while another thread looks.
May have_friends(const Captured &captured) {
  const bool is_every = place_in_force.friends == Friends::every;
  if (!place_in_force.takes_assigned || !group::assigned_contexts.any())
    return is_every ? May::yes : May::no;
  if (!group::assigned_contexts.lock().try_lock()) return May::unknown;
  std::lock_guard guard(group::assigned_contexts.lock(), std::adopt_lock);
  switch (group::assigned_contexts.of(frame_of(captured)).kind) {
  case sites::Kind::beside: return May::yes;
  case sites::Kind::undecided: return is_every ? May::yes : May::no;
  default: return May::no;
  }
}

} // namespace

Rule *new_rules() {
  static Rule *next = nullptr;
  static uint32_t left = kContexts;
  if (next == nullptr) next = map_items<Rule>(size_t{kContexts} * Context::kFurther);
  if (next == nullptr || left == 0) return nullptr;
  --left;
  auto *made = new (next) Rule[Context::kFurther];
  next += Context::kFurther;
  return made;
}

void set_plain(Address address) {
  if (sites::Site *site = sites::table.claim(address))
    site->context.store(kPlain, std::memory_order_release);
}

bool meet_site(const Captured &captured) {
  const Address address = captured.words[Captured::kReturnAddress];
  if (!learning.try_lock()) return false;
  std::lock_guard guard(learning, std::adopt_lock);
  sites::Site *site = sites::table.claim(address);
  if (site == nullptr) return true;
  const Address met = site->context.load(std::memory_order_relaxed);
  if (met == 0) site->context.store(kWarm + kFirstLook, std::memory_order_release);
  if (met != kWarm) return true;
  const bool wrapper = leaf_of(captured)->depth > 1;
  const May may = wrapper ? May::no : have_friends(captured);
  if (may == May::unknown) return false;
  Context *context = may == May::yes ? new_context(address, nullptr) : nullptr;
  if (context != nullptr) context->countdown = 0;
  const Address found = context != nullptr ? reinterpret_cast<Address>(context) : kPlain;
  site->context.store(wrapper ? kWrapper : found, std::memory_order_release);
  return true;
}

Address context_behind(const Captured &captured) {
  context::Entry *leaf = leaf_of(captured);
  const Address known = leaf->payload.load(std::memory_order_acquire);
  if (is_context(known)) [[likely]]
    return unless_resting(known);
  if (known == kPlain || !learning.try_lock()) return 0;
  std::lock_guard guard(learning, std::adopt_lock);
  if (leaf->payload.load(std::memory_order_relaxed) != 0) return 0;
  const bool is_known = leaf != context::chain_table.catch_all();
  const May may = is_known ? have_friends(captured) : May::no;
  if (may == May::unknown) return 0;
  Context *context = may == May::yes ? new_context(leaf->return_address(), leaf) : nullptr;
  leaf->payload.store(context != nullptr ? reinterpret_cast<Address>(context) : kPlain,
                      std::memory_order_release);
  return 0;
}

void set_plain(const Context &context) {
  if (context.leaf != nullptr)
    context.leaf->payload.store(kPlain, std::memory_order_release);
  else
    set_plain(context.site);
}

} // namespace abut::near
