// Iterators over trees. With ABUT_CHECKED they know their tree and how often it had changed when they were made.
#pragma once

#include "origin.hpp"
#include "tree_nodes.hpp"

#include <iterator>

namespace abut::detail {

template <typename Slots, typename Key, typename ValueType, bool IsConst>
class TreeIterator {
  using LeafNode = Leaf<Slots>;
  using Place = TreePlace<Slots>;

public:
  using iterator_category = std::bidirectional_iterator_tag;
  using value_type = ValueType;
  using difference_type = std::ptrdiff_t;
  using reference = std::conditional_t<IsConst, const ValueType &, ValueType &>;
  using pointer = std::conditional_t<IsConst, const ValueType *, ValueType *>;

  TreeIterator() = default;
  TreeIterator(const Place &place, const Origin &origin) noexcept
      : place_(place), origin_(origin) {}
  template <bool OtherIsConst>
  requires(IsConst && !OtherIsConst)
      TreeIterator(const TreeIterator<Slots, Key, ValueType, OtherIsConst> &other)
  noexcept : place_(other.place_), origin_(other.origin_) {}

  reference operator*() const noexcept {
    origin_.check();
    check(place_.leaf != nullptr && place_.index < place_.leaf->count, "the end is dereferenced");
    return Slots::value(place_.leaf->slots()[place_.index]);
  }
  pointer operator->() const noexcept { return std::addressof(**this); }

  TreeIterator &operator++() noexcept {
    origin_.check();
    check(place_.leaf != nullptr && place_.index < place_.leaf->count, "the end is incremented");
    if (++place_.index == place_.leaf->count) next_leaf();
    return *this;
  }
  TreeIterator operator++(int) noexcept {
    const TreeIterator old = *this;
    ++*this;
    return old;
  }
  TreeIterator &operator--() noexcept {
    origin_.check();
    if (place_.index == 0) {
      check(place_.leaf != nullptr && place_.leaf->previous != nullptr,
            "the beginning is decremented");
      place_ = {place_.leaf->previous, place_.leaf->previous->count};
    }
    --place_.index;
    return *this;
  }
  TreeIterator operator--(int) noexcept {
    const TreeIterator old = *this;
    --*this;
    return old;
  }
  template <bool OtherIsConst>
  bool operator==(const TreeIterator<Slots, Key, ValueType, OtherIsConst> &other) const noexcept {
    origin_.check_same(other.origin_);
    return place_ == other.place_;
  }

  const Place &place() const noexcept { return place_; }
  const Origin &origin() const noexcept { return origin_; }

private:
  template <typename, typename, typename, bool>
  friend class TreeIterator;

  void next_leaf() noexcept {
    LeafNode *next = place_.leaf->next;
    if (next == nullptr) return;
    place_ = {next, 0};
    // Of a short range's neighbours further ahead nothing is read.
    if (++leaves_ > 1) prefetch_ahead<Key>(next);
  }

  [[no_unique_address]] Place place_; // with room for what follows
  unsigned leaves_ = 0;               // how many it has come to
  [[no_unique_address]] Origin origin_;
};

} // namespace abut::detail
