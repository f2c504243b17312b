// The iterator of adcock::list.
#pragma once

#include "container.hpp"
#include "list_pool.hpp"

#include <iterator>

namespace adcock::move {

template <typename List, typename T, bool Const>
class ListIterator {
public:
  // NOLINTBEGIN(readability-identifier-naming): the standard's names
  using iterator_category = std::bidirectional_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = std::conditional_t<Const, const T *, T *>;
  using reference = std::conditional_t<Const, const T &, T &>;
  // NOLINTEND(readability-identifier-naming)

  ListIterator() = default;
  operator ListIterator<List, T, true>() const requires(!Const) { return {owner_, cell_}; }
  reference operator*() const { return (*owner_->pool_)[cell_].get(); }
  pointer operator->() const { return &**this; }
  ListIterator &operator++() {
    const auto &pool = *owner_->pool_;
    const CellId next = pool[cell_].next;
    using Numbers = typename std::remove_cvref_t<decltype(pool)>::Numbers;
    if (Numbers::page_of(next) != Numbers::page_of(cell_) && found(next)) pool.prefetch_block(next);
    cell_ = next;
    return *this;
  }
  ListIterator &operator--() {
    cell_ = found(cell_) ? (*owner_->pool_)[cell_].previous : owner_->ends_.last;
    return *this;
  }
  ListIterator operator++(int) {
    const ListIterator old = *this;
    ++*this;
    return old;
  }
  ListIterator operator--(int) {
    const ListIterator old = *this;
    --*this;
    return old;
  }
  bool operator==(const ListIterator &other) const { return cell_ == other.cell_; }

private:
  friend List;
  template <typename, typename, bool>
  friend class ListIterator;
  ListIterator(const List *owner, CellId cell) : owner_(owner), cell_(cell) {}

  const List *owner_ = nullptr;
  CellId cell_ = kNoCell;
};

} // namespace adcock::move
