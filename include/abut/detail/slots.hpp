// What the leaves of a tree hold: the elements themselves, or pointers to elements that cannot be moved without risk.
#pragma once

#include "memory.hpp"

#include <cstring>
#include <functional>
#include <type_traits>
#include <utility>

namespace abut::detail {

// A slot may be a pointer, and is as large as that.
template <typename Slot>
inline constexpr std::size_t kSlotBytes = sizeof(Slot); // NOLINT(bugprone-sizeof-expression)

// How a container's values are made of keys: a set's value is its key.
template <typename Key>
struct SetValues {
  using Value = Key;
  using KeyType = Key;
  static constexpr bool kIsMap = false;
  static constexpr bool kMovesSafely = std::is_nothrow_move_constructible_v<Key>;
  static constexpr bool kMovesAsBytes = std::is_trivially_copyable_v<Key>;
  static const Key &key(const Value &value) noexcept { return value; }
  // Whether some arguments show the key of what is made of them, and which it is.
  template <typename... Args>
  static constexpr bool is_keyed() {
    return (sizeof...(Args) == 1) && (std::is_same_v<std::remove_cvref_t<Args>, Key> && ...);
  }
  static const Key &key_in(const Key &key) noexcept { return key; }
  // Calls `use` with what another element may be made of by a move.
  template <typename Use>
  static void with_parts(Value &value, Use use) {
    use(std::move(value));
  }
  static void move(void *to, Value *from) noexcept {
    ::new (to) Value(std::move(*from));
    from->~Value();
  }
};

template <typename Key, typename T>
struct MapValues {
  using Value = std::pair<const Key, T>;
  using KeyType = Key;
  static constexpr bool kIsMap = true;
  static constexpr bool kMovesSafely =
      std::is_nothrow_move_constructible_v<Key> && std::is_nothrow_move_constructible_v<T>;
  static constexpr bool kMovesAsBytes =
      std::is_trivially_copyable_v<Key> && std::is_trivially_copyable_v<T>;
  static const Key &key(const Value &value) noexcept { return value.first; }
  // Two arguments of which the first is a key, or a pair with one.
  template <typename First, typename Second>
  static constexpr bool are_keyed(const std::pair<First, Second> *) {
    return std::is_same_v<std::remove_const_t<First>, std::remove_const_t<Key>>;
  }
  static constexpr bool are_keyed(const void *) { return false; }
  template <typename... Args>
  static constexpr bool is_keyed() {
    if constexpr (sizeof...(Args) == 1)
      return are_keyed(static_cast<std::remove_cvref_t<Args> *>(nullptr)...);
    else if constexpr (sizeof...(Args) == 2)
      return are_keyed(static_cast<std::pair<std::remove_cvref_t<Args>...> *>(nullptr));
    else
      return false;
  }
  static const Key &key_in(const auto &pair) noexcept { return pair.first; }
  static const Key &key_in(const Key &key, const auto &) noexcept { return key; }
  template <typename Use>
  static void with_parts(Value &value, Use use) {
    use(std::piecewise_construct, std::forward_as_tuple(std::move(const_cast<Key &>(value.first))),
        std::forward_as_tuple(std::forward<T>(value.second))); // which may be a reference
  }
  // The key moves with its value: no reader can see it in between.
  static void move(void *to, Value *from) noexcept {
    ::new (to) Value(std::piecewise_construct,
                     std::forward_as_tuple(std::move(const_cast<Key &>(from->first))),
                     std::forward_as_tuple(std::forward<T>(from->second)));
    from->~Value();
  }
};

// Elements in the leaves.
template <typename Values>
struct InlineSlots {
  using Slot = typename Values::Value;
  static constexpr bool kMovesAsBytes = Values::kMovesAsBytes;

  static typename Values::Value &value(Slot &slot) noexcept { return slot; }
  static const auto &key(const Slot &slot) noexcept { return Values::key(slot); }

  template <typename Allocator, typename... Args>
  static void make(Allocator &allocator, void *at, Args &&...args) {
    std::allocator_traits<Allocator>::construct(allocator, static_cast<Slot *>(at),
                                                std::forward<Args>(args)...);
  }
  template <typename Allocator>
  static void destroy(Allocator &allocator, Slot &slot) noexcept {
    std::allocator_traits<Allocator>::destroy(allocator, std::addressof(slot));
  }
  static void move(void *to, Slot *from) noexcept { Values::move(to, from); }
};

// Elements in blocks of their own: those whose move may throw, those that cannot move, and large ones.
template <typename Values>
struct BoxedSlots {
  using Value = typename Values::Value;
  using Slot = Value *;
  static constexpr bool kMovesAsBytes = true;

  static Value &value(Slot &slot) noexcept { return *slot; }
  static const auto &key(const Slot &slot) noexcept { return Values::key(*slot); }

  template <typename Allocator, typename... Args>
  static void make(Allocator &allocator, void *at, Args &&...args) {
    void *memory = allocate_bytes<alignof(Value)>(allocator, sizeof(Value));
    OnExit undo([&] { deallocate_bytes<alignof(Value)>(allocator, memory, sizeof(Value)); });
    std::allocator_traits<Allocator>::construct(allocator, static_cast<Value *>(memory),
                                                std::forward<Args>(args)...);
    undo.dismiss();
    ::new (at) Slot(static_cast<Value *>(memory));
  }
  template <typename Allocator>
  static void destroy(Allocator &allocator, Slot &slot) noexcept {
    std::allocator_traits<Allocator>::destroy(allocator, slot);
    deallocate_bytes<alignof(Value)>(allocator, slot, sizeof(Value));
  }
  static void move(void *to, Slot *from) noexcept { ::new (to) Slot(*from); }
};

inline constexpr std::size_t kLargestInline = 128;

// A class of its own, so that a container's elements need not be complete before it is used.
template <typename Values>
struct SlotsFor
    : std::conditional_t<Values::kMovesSafely && sizeof(typename Values::Value) <= kLargestInline,
                         InlineSlots<Values>, BoxedSlots<Values>> {};

// `count` slots from `from` to `to`; the ranges may overlap. What lay at `from` and not at `to` is raw memory then.
template <typename Slots>
void move_slots(typename Slots::Slot *to, typename Slots::Slot *from, std::size_t count) noexcept {
  if constexpr (Slots::kMovesAsBytes) {
    std::memmove(static_cast<void *>(to), static_cast<const void *>(from),
                 count * kSlotBytes<typename Slots::Slot>);
  } else if (to <= from) {
    for (std::size_t i = 0; i < count; ++i) Slots::move(to + i, from + i);
  } else {
    for (std::size_t i = count; i-- > 0;) Slots::move(to + i, from + i);
  }
}

struct FromSlot {};

// A slot that is not in a leaf yet: made before anything moves, since its arguments may be elements, and making it may throw.
template <typename Slots, typename Allocator>
class FreshSlot {
public:
  using Slot = typename Slots::Slot;
  template <typename... Args>
  explicit FreshSlot(Allocator &allocator, Args &&...args) : allocator_(allocator) {
    Slots::make(allocator_, storage_, std::forward<Args>(args)...);
  }
  // Takes what is in a slot of elsewhere, which is raw memory then.
  FreshSlot(FromSlot, Allocator &allocator, Slot *from) noexcept : allocator_(allocator) {
    move_slots<Slots>(std::addressof(slot()), from, 1);
  }
  FreshSlot(const FreshSlot &) = delete;
  FreshSlot &operator=(const FreshSlot &) = delete;
  ~FreshSlot() {
    if (full_) Slots::destroy(allocator_, slot());
  }
  Slot &slot() noexcept { return *std::launder(reinterpret_cast<Slot *>(storage_)); }
  void move_to(Slot *to) noexcept {
    move_slots<Slots>(to, std::addressof(slot()), 1);
    full_ = false;
  }

private:
  Allocator &allocator_;
  alignas(Slot) std::byte storage_[kSlotBytes<Slot>];
  bool full_ = true;
};

} // namespace abut::detail
