// abut::forward_list: std::forward_list's interface; a new node lies in the line of the one before it, or near.
//
// Nodes never move by themselves: iterators, pointers and references stay good until the element is erased, or until
// `relayout` is called, which lays the list end to end. Many small lists should share a pool: `forward_list b(a.pool())`.
#pragma once

#include "relayout.hpp"

#include <initializer_list>
#include <iterator>
#include <memory>

namespace abut {
namespace move {

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

} // namespace move

template <typename T>
class forward_list { // NOLINT(readability-identifier-naming): the standard's name
  using CellId = move::CellId;
  using Node = move::ForwardNode<T>;
  static constexpr move::Needs kNeeds =
      move::Cyclic<move::Level::cell, move::Level::page>::needs() |
      move::Emptiest<move::Level::line, move::Level::heap>::needs();
  using Heap = move::RdsHeap<Node, move::Geometry{}, kNeeds>;

  template <bool Const>
  class Iterator {
  public:
    // NOLINTBEGIN(readability-identifier-naming): the standard's names
    using iterator_category = std::forward_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = std::conditional_t<Const, const T *, T *>;
    using reference = std::conditional_t<Const, const T &, T &>;
    // NOLINTEND(readability-identifier-naming)

    Iterator() = default;
    operator Iterator<true>() const requires(!Const) { return {owner_, cell_, before_}; }
    reference operator*() const { return (*owner_->heap_)[cell_].get(); }
    pointer operator->() const { return &**this; }
    Iterator &operator++() {
      cell_ = before_ ? owner_->first_ : (*owner_->heap_)[cell_].next;
      before_ = false;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator old = *this;
      ++*this;
      return old;
    }
    bool operator==(const Iterator &other) const {
      return cell_ == other.cell_ && before_ == other.before_;
    }

  private:
    friend class forward_list;
    template <bool>
    friend class Iterator;
    Iterator(const forward_list *owner, CellId cell, bool before)
        : owner_(owner), cell_(cell), before_(before) {}

    const forward_list *owner_ = nullptr;
    CellId cell_ = move::kNoCell;
    bool before_ = false; // before the first
  };

public:
  // NOLINTBEGIN(readability-identifier-naming): the standard's names
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T &;
  using const_reference = const T &;
  using iterator = Iterator<false>;
  using const_iterator = Iterator<true>;
  using pool_type = std::shared_ptr<Heap>;
  // NOLINTEND(readability-identifier-naming)

  forward_list() : heap_(std::make_shared<Heap>()) { heap_->bound_ratio(1.5); }
  explicit forward_list(pool_type pool) : heap_(std::move(pool)) {}
  forward_list(std::initializer_list<T> values) : forward_list(values.begin(), values.end()) {}
  template <std::input_iterator Input>
  forward_list(Input from, Input to) : forward_list() {
    for (auto last = before_begin(); from != to; ++from) last = emplace_after(last, *from);
  }
  forward_list(const forward_list &other) : forward_list(other.begin(), other.end()) {}
  forward_list(forward_list &&other) noexcept
      : heap_(other.heap_), first_(std::exchange(other.first_, move::kNoCell)) {}
  forward_list &operator=(forward_list other) noexcept {
    std::swap(heap_, other.heap_);
    std::swap(first_, other.first_);
    return *this;
  }
  ~forward_list() { clear(); }

  const pool_type &pool() const { return heap_; }
  iterator before_begin() { return {this, move::kNoCell, true}; }
  iterator begin() { return {this, first_, false}; }
  iterator end() { return {this, move::kNoCell, false}; }
  const_iterator begin() const { return {this, first_, false}; }
  const_iterator end() const { return {this, move::kNoCell, false}; }
  bool empty() const { return !move::found(first_); }
  T &front() { return *begin(); }

  template <typename... Args>
  iterator emplace_after(const_iterator position, Args &&...args) {
    const CellId cell = allocate(position.before_ ? first_ : position.cell_);
    try {
      ::new (static_cast<void *>((*heap_)[cell].value)) T(std::forward<Args>(args)...);
    } catch (...) {
      heap_->free(cell);
      throw;
    }
    CellId &link = link_after(position);
    (*heap_)[cell].next = link;
    link = cell;
    return {this, cell, false};
  }
  iterator insert_after(const_iterator position, const T &value) {
    return emplace_after(position, value);
  }
  iterator insert_after(const_iterator position, T &&value) {
    return emplace_after(position, std::move(value));
  }
  template <typename... Args>
  T &emplace_front(Args &&...args) {
    return *emplace_after(before_begin(), std::forward<Args>(args)...);
  }
  void push_front(const T &value) { emplace_front(value); }
  void push_front(T &&value) { emplace_front(std::move(value)); }

  // The element after the erased one.
  iterator erase_after(const_iterator position) {
    CellId &link = link_after(position);
    const CellId cell = link;
    link = (*heap_)[cell].next;
    const CellId next = link;
    (*heap_)[cell].get().~T();
    heap_->free(cell);
    return {this, next, false};
  }
  void pop_front() { erase_after(before_begin()); }
  void clear() {
    while (!empty()) pop_front();
  }
  template <typename Predicate>
  size_type remove_if(Predicate unwanted) {
    size_type count = 0;
    for (iterator last = before_begin();;) {
      const iterator here = std::next(last);
      if (here == end()) return count;
      if (unwanted(*here)) {
        erase_after(last);
        ++count;
      } else {
        last = here;
      }
    }
  }

  // Lays all of a list that has its pool for itself end to end.
  void relayout() {
    move::relayout<move::ForwardLinks<T>>(*heap_, first_);
    heap_->trim();
  }

  friend bool operator==(const forward_list &one, const forward_list &other) {
    return std::equal(one.begin(), one.end(), other.begin(), other.end());
  }

private:
  CellId &link_after(const_iterator position) {
    return position.before_ ? first_ : (*heap_)[position.cell_].next;
  }
  // In the line of the hint, or the nearest of its page with room, or in the emptiest line.
  CellId allocate(CellId hint) {
    CellId cell =
        move::found(hint) ? heap_->take_nearest(Heap::Numbers::line_of(hint)) : move::kNoCell;
    if (move::found(cell)) return cell;
    cell = heap_->take(heap_->find(move::Emptiest<move::Level::line, move::Level::heap>{}));
    if (!move::found(cell)) throw move::HeapIsFull();
    return cell;
  }

  pool_type heap_;
  CellId first_ = move::kNoCell;
};

} // namespace abut
