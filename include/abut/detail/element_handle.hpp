// What `extract` gives: the element itself, out of its container. Unlike the standard's it holds the element in itself.
#pragma once

#include "slots.hpp"

#include <optional>

namespace abut::detail {

template <typename Allocator, typename Slots>
class ElementHandleBase {
  using Slot = typename Slots::Slot;

public:
  using allocator_type = Allocator;

  ElementHandleBase() noexcept = default;
  ElementHandleBase(ElementHandleBase &&other) noexcept { take(other); }
  ElementHandleBase &operator=(ElementHandleBase &&other) noexcept {
    if (this == std::addressof(other)) return *this;
    reset();
    take(other);
    return *this;
  }
  ~ElementHandleBase() { reset(); }

  bool empty() const noexcept { return !allocator_.has_value(); }
  explicit operator bool() const noexcept { return !empty(); }
  allocator_type get_allocator() const { return *allocator_; }
  void swap(ElementHandleBase &other) noexcept {
    ElementHandleBase held(std::move(other));
    other = std::move(*this);
    *this = std::move(held);
  }
  friend void swap(ElementHandleBase &one, ElementHandleBase &other) noexcept { one.swap(other); }

  // For containers: takes what is in a slot, which is raw memory then; and gives it away.
  void fill(const Allocator &allocator, Slot *from) noexcept {
    move_slots<Slots>(std::addressof(slot()), from, 1);
    allocator_.emplace(allocator);
  }
  Slot &slot() const noexcept {
    return *std::launder(reinterpret_cast<Slot *>(const_cast<std::byte *>(storage_)));
  }
  void forget() noexcept { allocator_.reset(); }

protected:
  auto &stored() const noexcept { return Slots::value(slot()); }

private:
  void take(ElementHandleBase &other) noexcept {
    if (other.empty()) return;
    fill(*other.allocator_, std::addressof(other.slot()));
    other.forget();
  }
  void reset() noexcept {
    if (empty()) return;
    Slots::destroy(*allocator_, slot());
    forget();
  }

  alignas(Slot) std::byte storage_[sizeof(Slot)];
  std::optional<Allocator> allocator_;
};

template <typename Values, typename Allocator, typename Slots>
class ElementHandle : public ElementHandleBase<Allocator, Slots> {
public:
  using value_type = typename Values::Value;
  value_type &value() const noexcept { return this->stored(); }
};

template <typename Key, typename T, typename Allocator, typename Slots>
class ElementHandle<MapValues<Key, T>, Allocator, Slots>
    : public ElementHandleBase<Allocator, Slots> {
public:
  using key_type = Key;
  using mapped_type = T;
  key_type &key() const noexcept { return const_cast<Key &>(this->stored().first); }
  mapped_type &mapped() const noexcept { return this->stored().second; }
};

} // namespace abut::detail
