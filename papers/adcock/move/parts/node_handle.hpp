// What `extract` gives: an element that is in no container. It keeps the element itself, for a cell is its heap's; so the
// element moves, and pointers to it end there, unlike the standard's.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

namespace adcock::move {

// Of a map, whose key may be changed meanwhile.
template <typename Key, typename T>
class MapNodeHandle {
  static_assert(std::is_nothrow_move_constructible_v<Key> &&
                    std::is_nothrow_move_constructible_v<T>,
                "an element that is extracted is moved, and must not be lost half way");

public:
  // NOLINTBEGIN(readability-identifier-naming): the standard's names
  using key_type = Key;
  using mapped_type = T;
  // NOLINTEND(readability-identifier-naming)

  MapNodeHandle() = default;
  MapNodeHandle(MapNodeHandle &&other) noexcept : element_(std::exchange(other.element_, {})) {}
  MapNodeHandle &operator=(MapNodeHandle &&other) noexcept {
    element_.reset();
    if (other.element_) element_.emplace(std::move(*other.element_));
    other.element_.reset();
    return *this;
  }
  ~MapNodeHandle() = default;

  bool empty() const noexcept { return !element_; }
  explicit operator bool() const noexcept { return element_.has_value(); }
  Key &key() { return element_->first; }
  T &mapped() { return element_->second; }
  void swap(MapNodeHandle &other) noexcept { std::swap(element_, other.element_); }

  // For containers: takes the element, whose place is about to end.
  void take(std::pair<const Key, T> &element) noexcept {
    element_.emplace(std::move(const_cast<Key &>(element.first)), std::move(element.second));
  }

private:
  std::optional<std::pair<Key, T>> element_;
};

// Of a set.
template <typename Key>
class SetNodeHandle {
  static_assert(std::is_nothrow_move_constructible_v<Key>,
                "an element that is extracted is moved, and must not be lost half way");

public:
  using value_type = Key; // NOLINT(readability-identifier-naming): the standard's name

  SetNodeHandle() = default;
  SetNodeHandle(SetNodeHandle &&other) noexcept : element_(std::exchange(other.element_, {})) {}
  SetNodeHandle &operator=(SetNodeHandle &&other) noexcept {
    element_.reset();
    if (other.element_) element_.emplace(std::move(*other.element_));
    other.element_.reset();
    return *this;
  }
  ~SetNodeHandle() = default;

  bool empty() const noexcept { return !element_; }
  explicit operator bool() const noexcept { return element_.has_value(); }
  Key &value() { return *element_; }
  Key &key() { return *element_; }
  void swap(SetNodeHandle &other) noexcept { std::swap(element_, other.element_); }

  void take(Key &element) noexcept { element_.emplace(std::move(element)); }

private:
  std::optional<Key> element_;
};

// What inserting such an element gives: where it is or what was there, whether it was inserted, and it, if not.
template <typename Iterator, typename Node>
struct InsertReturn {
  Iterator position;
  bool inserted;
  Node node;
};

} // namespace adcock::move
