// The nodes of a B+-tree. Elements lie in leaves, which are chained; inner nodes hold what separates their children.
#pragma once

#include "slots.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace abut::detail {

struct TreeNode {
  TreeNode *parent = nullptr;
  std::uint16_t count = 0; // slots of a leaf, children of an inner node
  std::uint16_t capacity = 0;
  std::uint16_t level = 0; // 0: a leaf
};

template <typename Slots>
struct Leaf : TreeNode {
  using Slot = typename Slots::Slot;
  static constexpr std::size_t kAlignment = std::max(alignof(Slot), alignof(TreeNode));
  static constexpr std::size_t kFixed = 2 * sizeof(void *) + sizeof(TreeNode);
  static constexpr std::size_t kOffset =
      (kFixed + alignof(Slot) - 1) / alignof(Slot) * alignof(Slot);
  static constexpr std::size_t kBytes = 512;
  static constexpr std::uint16_t kMost =
      std::max<std::size_t>(4, (kBytes - kOffset) / kSlotBytes<Slot>);
  // The first leaf of a tree begins with what fits into a line beside a heap's word, and grows. Elements in blocks of their
  // own cost enough.
  static constexpr std::uint16_t kFewest =
      std::is_pointer_v<Slot> ? 1 : std::max<std::size_t>(1, (56 - kFixed) / kSlotBytes<Slot>);

  static constexpr std::size_t bytes(std::size_t capacity) {
    return kOffset + capacity * kSlotBytes<Slot>;
  }

  Slot *slots() noexcept {
    return reinterpret_cast<Slot *>(reinterpret_cast<std::byte *>(this) + kOffset);
  }
  const Slot *slots() const noexcept { return const_cast<Leaf *>(this)->slots(); }

  Leaf *previous = nullptr;
  Leaf *next = nullptr;
};

// Whether the processor's own comparison is the order, and which key comes last in it.
template <typename Key, typename Less>
struct MachineOrder {
  static constexpr bool kUp =
      std::is_same_v<Less, std::less<Key>> || std::is_same_v<Less, std::less<>>;
  static constexpr bool kDown =
      std::is_same_v<Less, std::greater<Key>> || std::is_same_v<Less, std::greater<>>;
  static constexpr bool kHolds = std::is_arithmetic_v<Key> && (kUp || kDown);

  static constexpr Key last() {
    using Limits = std::numeric_limits<Key>;
    if constexpr (kUp) return Limits::has_infinity ? Limits::infinity() : Limits::max();
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
};

// Small plain keys are copied into inner nodes.
template <typename Key>
inline constexpr bool
    kKeysAreCopied = std::is_trivially_copyable_v<Key> &&std::is_copy_constructible_v<Key> &&
                         std::is_copy_assignable_v<std::remove_const_t<Key>> &&
                     sizeof(Key) <= 16;

// Of other keys an inner node names the leaf whose first element separates: the elements before are less, and this
// stays true whatever becomes the leaf's first.
template <typename Slots, typename Key>
using Separator = std::conditional_t<kKeysAreCopied<Key>, std::remove_const_t<Key>, Leaf<Slots> *>;

template <typename Slots, typename Key>
struct Inner : TreeNode {
  using Separator = detail::Separator<Slots, Key>;
  static constexpr std::uint16_t kMost = 32;

  Separator *separators() noexcept { return reinterpret_cast<Separator *>(raw); }
  const Separator *separators() const noexcept { return reinterpret_cast<const Separator *>(raw); }
  static const Key &key(const Separator &separator) noexcept {
    if constexpr (kKeysAreCopied<Key>)
      return separator;
    else
      return Slots::key(separator->slots()[0]);
  }

  unsigned position(const TreeNode *child) const noexcept {
    unsigned i = 0;
    while (children[i] != child) ++i;
    return i;
  }

  // Separator i stands between the children i and i + 1.
  alignas(Separator) std::byte raw[kMost * kSlotBytes<Separator>];
  TreeNode *children[kMost];
};

inline void prefetch(const void *node, std::size_t bytes) noexcept {
  for (std::size_t i = 0; i < bytes; i += 64)
    __builtin_prefetch(static_cast<const char *>(node) + i);
}
// Fetches the leaves that follow this one's next, as far as the parent knows them.
template <typename Key, typename Slots>
void prefetch_ahead(const Leaf<Slots> *leaf) noexcept {
  const auto *parent = static_cast<const Inner<Slots, Key> *>(leaf->parent);
  if (parent == nullptr) return;
  const unsigned ahead = parent->position(leaf) + 3;
  if (ahead < parent->count) prefetch(parent->children[ahead], Leaf<Slots>::kBytes);
}

// How a key is handed down: in a register where it fits.
template <typename K>
using ByKey = std::conditional_t<std::is_scalar_v<K>, K, const K &>;

// How many of a node's first `count` keys come before `key`; with `Upper`, not after it. Plain keys are compared without a
// branch; of others, whose comparison costs more than a branch, as few as possible are compared.
template <bool Upper, typename At, typename K, typename Less>
unsigned rank(At at, unsigned count, const K &key, const Less &less) {
  using Index = std::size_t;
  const auto before = [&](Index i) -> bool {
    if constexpr (Upper)
      return !less(key, at(i));
    else
      return less(at(i), key);
  };
  if constexpr (!std::is_scalar_v<std::remove_cvref_t<decltype(at(0))>>) {
    Index low = 0;
    for (Index high = count; low < high;) {
      const Index middle = (low + high) / 2;
      if (before(middle))
        low = middle + 1;
      else
        high = middle;
    }
    return static_cast<unsigned>(low);
  }
  // A power of two at first, so that the number of steps hardly ever changes.
  if (count == 0) return 0;
  Index step = std::bit_floor(count);
  Index base = (count - step) & -static_cast<Index>(before(step - 1));
  while (step > 1) {
    step /= 2;
    base += step & -static_cast<Index>(before(base + step - 1));
  }
  return static_cast<unsigned>(base + static_cast<Index>(before(base)));
}

} // namespace abut::detail
