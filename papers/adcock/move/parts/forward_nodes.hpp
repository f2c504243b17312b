// The nodes of adcock::forward_list, and its iterator.
#pragma once

#include "../relayout.hpp"
#include "container.hpp"

#include <iterator>

namespace adcock::move {

template <typename T>
struct ForwardNode {
  CellId next;
  alignas(T) std::byte value[sizeof(T)];
  T &get() { return *std::launder(reinterpret_cast<T *>(value)); }
};

template <typename T>
struct ForwardLinks : IndexLinks<&ForwardNode<T>::next> {
  template <typename Heap>
  static void relocate(Heap &heap, CellId from, CellId to) noexcept {
    static_assert(std::is_nothrow_move_constructible_v<T>, "a move must not fail half way");
    ForwardNode<T> &old = heap[from];
    heap[to].next = old.next;
    ::new (static_cast<void *>(heap[to].value)) T(std::move(old.get()));
    old.get().~T();
  }
};

template <typename List, typename T, bool Const>
class ForwardIterator {
public:
  // NOLINTBEGIN(readability-identifier-naming): the standard's names
  using iterator_category = std::forward_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = std::conditional_t<Const, const T *, T *>;
  using reference = std::conditional_t<Const, const T &, T &>;
  // NOLINTEND(readability-identifier-naming)

  ForwardIterator() = default;
  operator ForwardIterator<List, T, true>() const requires(!Const) {
    return {owner_, cell_, before_};
  }
  reference operator*() const { return (*owner_->heap_)[cell_].get(); }
  pointer operator->() const { return &**this; }
  ForwardIterator &operator++() {
    cell_ = before_ ? owner_->first_ : (*owner_->heap_)[cell_].next;
    before_ = false;
    return *this;
  }
  ForwardIterator operator++(int) {
    const ForwardIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const ForwardIterator &other) const {
    return cell_ == other.cell_ && before_ == other.before_;
  }

private:
  friend List;
  template <typename, typename, bool>
  friend class ForwardIterator;
  ForwardIterator(const List *owner, CellId cell, bool before)
      : owner_(owner), cell_(cell), before_(before) {}

  const List *owner_ = nullptr;
  CellId cell_ = kNoCell;
  bool before_ = false; // before the first
};

} // namespace adcock::move
