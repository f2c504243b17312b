// The iterators of the ordered containers, over a balanced tree.
#pragma once

#include "operations.hpp"

#include <cstddef>
#include <iterator>
#include <type_traits>

namespace adcock::move {

template <typename Tree, typename Value, bool Const>
class TreeIterator {
public:
  // NOLINTBEGIN(readability-identifier-naming): the standard's names
  using iterator_category = std::bidirectional_iterator_tag;
  using value_type = Value;
  using difference_type = std::ptrdiff_t;
  using pointer = std::conditional_t<Const, const Value *, Value *>;
  using reference = std::conditional_t<Const, const Value &, Value &>;
  // NOLINTEND(readability-identifier-naming)

  TreeIterator() = default;
  TreeIterator(Tree *tree, CellId cell) : tree_(tree), cell_(cell) {}
  operator TreeIterator<Tree, Value, true>() const requires(!Const) { return {tree_, cell_}; }
  reference operator*() const { return tree_->pool().value(cell_); }
  pointer operator->() const { return &**this; }
  TreeIterator &operator++() {
    cell_ = tree_->neighbour(cell_, 1);
    return *this;
  }
  TreeIterator &operator--() {
    cell_ = found(cell_) ? tree_->neighbour(cell_, 0) : tree_->last();
    return *this;
  }
  TreeIterator operator++(int) {
    const TreeIterator old = *this;
    ++*this;
    return old;
  }
  TreeIterator operator--(int) {
    const TreeIterator old = *this;
    --*this;
    return old;
  }
  bool operator==(const TreeIterator &other) const { return cell_ == other.cell_; }

  CellId cell() const { return cell_; }

private:
  Tree *tree_ = nullptr;
  CellId cell_ = kNoCell;
};

} // namespace adcock::move
