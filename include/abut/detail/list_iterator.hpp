// Iterators over linked nodes. With ABUT_CHECKED they know whether their node was erased, and its container laid out again.
#pragma once

#include "node_pool.hpp"
#include "origin.hpp"

#include <iterator>

namespace abut::detail {

template <typename ValueType, bool IsConst>
class LinkIterator {
  using Node = LinkedNode<ValueType>;

public:
  using iterator_category = std::bidirectional_iterator_tag;
  using value_type = ValueType;
  using difference_type = std::ptrdiff_t;
  using reference = std::conditional_t<IsConst, const ValueType &, ValueType &>;
  using pointer = std::conditional_t<IsConst, const ValueType *, ValueType *>;

  LinkIterator() = default;
  LinkIterator(const Link *link, const Origin &origin) noexcept
      : link_(const_cast<Link *>(link)), origin_(origin) {}
  template <bool OtherIsConst>
  requires(IsConst && !OtherIsConst)
      LinkIterator(const LinkIterator<ValueType, OtherIsConst> &other)
  noexcept : link_(other.link_), origin_(other.origin_) {}

  reference operator*() const noexcept {
    check_link();
    return static_cast<Node *>(link_)->value();
  }
  pointer operator->() const noexcept { return std::addressof(**this); }
  LinkIterator &operator++() noexcept {
    check_link();
    link_ = link_->next;
    return *this;
  }
  LinkIterator operator++(int) noexcept {
    const LinkIterator old = *this;
    ++*this;
    return old;
  }
  LinkIterator &operator--() noexcept {
    check_link();
    link_ = link_->previous;
    return *this;
  }
  LinkIterator operator--(int) noexcept {
    const LinkIterator old = *this;
    --*this;
    return old;
  }
  template <bool OtherIsConst>
  bool operator==(const LinkIterator<ValueType, OtherIsConst> &other) const noexcept {
    origin_.check_same(other.origin_);
    return link_ == other.link_;
  }

  Link *link() const noexcept { return link_; }
  const Origin &origin() const noexcept { return origin_; }

private:
  template <typename, bool>
  friend class LinkIterator;

  void check_link() const noexcept {
    origin_.check();
    check(link_ != nullptr && link_->next != nullptr, "an iterator to an erased element is used");
  }

  Link *link_ = nullptr;
  [[no_unique_address]] Origin origin_;
};

} // namespace abut::detail
