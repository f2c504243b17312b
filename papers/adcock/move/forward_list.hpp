// adcock::forward_list: std::forward_list's interface; a new node lies in the line of the one before it, or near.
//
// Nodes never move by themselves: iterators, pointers and references stay good until the element is erased, or until
// `relayout` is called, which lays the list end to end. Many small lists should share a pool: `forward_list b(a.pool())`.
// `Memory` may be an allocator, whose memory goes with the nodes.
#pragma once

#include "parts/forward_nodes.hpp"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <memory>

namespace adcock {
template <typename T, typename Memory = move::PageMemory>
class forward_list { // NOLINT(readability-identifier-naming): the standard's name
  using CellId = move::CellId;
  using Node = move::ForwardNode<T>;
  static constexpr move::Needs kNeeds =
      move::Cyclic<move::Level::cell, move::Level::page>::needs() |
      move::Emptiest<move::Level::line, move::Level::heap>::needs();
  using Heap = move::RdsHeap<Node, move::Geometry{}, kNeeds, move::ReserveOf<Memory>>;

  template <bool Const>
  using Iterator = move::ForwardIterator<forward_list, T, Const>;

public:
  // NOLINTBEGIN(readability-identifier-naming): the standard's names
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T &;
  using const_reference = const T &;
  using iterator = Iterator<false>;
  using const_iterator = Iterator<true>;
  using allocator_type = Memory;
  using pool_type = std::shared_ptr<Heap>;
  // NOLINTEND(readability-identifier-naming)

  forward_list() : forward_list(Memory()) {}
  explicit forward_list(const Memory &memory)
      : heap_(std::make_shared<Heap>(Heap::kMostCells, move::ReserveChoice<Memory>::make(memory))) {
    heap_->bound_ratio(1.5);
  }
  explicit forward_list(pool_type pool) : heap_(std::move(pool)) {}
  forward_list(std::initializer_list<T> values, const Memory &memory = Memory())
      : forward_list(values.begin(), values.end(), memory) {}
  explicit forward_list(size_type count, const T &value = T(), const Memory &memory = Memory())
      : forward_list(memory) {
    insert_after(before_begin(), count, value);
  }
  template <std::input_iterator Input>
  forward_list(Input from, Input to, const Memory &memory = Memory()) : forward_list(memory) {
    insert_after(before_begin(), from, to);
  }
  forward_list(const forward_list &other)
      : forward_list(other.begin(), other.end(), move::memory_for_copy(other.get_allocator())) {}
  forward_list(forward_list &&other) noexcept
      : heap_(other.heap_), first_(std::exchange(other.first_, move::kNoCell)) {}
  forward_list &operator=(forward_list other) noexcept {
    swap(other);
    return *this;
  }
  void swap(forward_list &other) noexcept {
    std::swap(heap_, other.heap_);
    std::swap(first_, other.first_);
  }
  friend void swap(forward_list &one, forward_list &other) noexcept { one.swap(other); }
  // The list is as it was where a copy throws.
  template <std::input_iterator Input>
  void assign(Input from, Input to) {
    *this = forward_list(from, to, get_allocator());
  }
  void assign(size_type count, const T &value) {
    *this = forward_list(count, value, get_allocator());
  }
  ~forward_list() { clear(); }

  const pool_type &pool() const { return heap_; }
  allocator_type get_allocator() const {
    return move::ReserveChoice<Memory>::memory(heap_->reserve());
  }
  iterator before_begin() { return {this, move::kNoCell, true}; }
  const_iterator before_begin() const { return {this, move::kNoCell, true}; }
  const_iterator cbefore_begin() const { return before_begin(); }
  iterator begin() { return {this, first_, false}; }
  iterator end() { return {this, move::kNoCell, false}; }
  const_iterator begin() const { return cbegin(); }
  const_iterator end() const { return cend(); }
  const_iterator cbegin() const { return {this, first_, false}; }
  const_iterator cend() const { return {this, move::kNoCell, false}; }
  size_type max_size() const { return Heap::kMostCells; }
  bool empty() const { return !move::found(first_); }
  T &front() { return *begin(); }
  const T &front() const { return *begin(); }

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
  // The last of what was inserted. What was inserted before a copy threw is taken out again.
  template <std::input_iterator Input>
  iterator insert_after(const_iterator position, Input from, Input to) {
    return insert_each(position, [&](auto put) {
      for (; from != to; ++from) put(*from);
    });
  }
  iterator insert_after(const_iterator position, size_type count, const T &value) {
    return insert_each(position, [&](auto put) {
      for (size_type i = 0; i < count; ++i) put(value);
    });
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
  iterator erase_after(const_iterator position, const_iterator to) {
    while (std::next(position) != to) erase_after(position);
    return {this, to.cell_, false};
  }
  void pop_front() { erase_after(before_begin()); }
  void clear() noexcept {
    while (!empty()) pop_front();
  }
  void resize(size_type size, const T &value = T()) {
    iterator last = before_begin();
    for (; size > 0 && std::next(last) != end(); --size) ++last;
    erase_after(last, end());
    insert_after(last, size, value);
  }
  template <typename Predicate>
  size_type remove_if(Predicate unwanted) {
    size_type count = 0;
    for (iterator last = before_begin(); std::next(last) != end();) {
      if (unwanted(*std::next(last))) {
        erase_after(last);
        ++count;
      } else {
        ++last;
      }
    }
    return count;
  }
  size_type remove(const T &value) {
    const T kept(value); // it may be an element
    return remove_if([&](const T &element) { return element == kept; });
  }
  template <typename Equal = std::equal_to<T>>
  size_type unique(Equal equal = Equal()) {
    size_type count = 0;
    for (iterator i = begin(); i != end() && std::next(i) != end();) {
      if (equal(*i, *std::next(i))) {
        erase_after(i);
        ++count;
      } else {
        ++i;
      }
    }
    return count;
  }

  // Elements of a list in the same pool change lists as they are; those of another pool are moved.
  void splice_after(const_iterator position, forward_list &other) {
    splice_after(position, other, other.before_begin(), other.end());
  }
  void splice_after(const_iterator position, forward_list &other, const_iterator before) {
    splice_after(position, other, before, std::next(before, 2));
  }
  // What lies between the two, both excluded.
  void splice_after(const_iterator position, forward_list &other, const_iterator before,
                    const_iterator to) {
    if (position == before || std::next(before) == to) return;
    if (heap_ != other.heap_) {
      for (iterator next(&other, before.cell_, before.before_); std::next(next) != to;) {
        position = emplace_after(position, std::move(*std::next(next)));
        other.erase_after(next);
      }
      return;
    }
    CellId last = other.link_after(before);
    while ((*heap_)[last].next != to.cell_) last = (*heap_)[last].next;
    const CellId first = std::exchange(other.link_after(before), to.cell_);
    (*heap_)[last].next = std::exchange(link_after(position), first);
  }
  // Both lists are in order; equal elements of this one stay before those of the other.
  template <typename Less = std::less<T>>
  void merge(forward_list &other, Less less = Less()) {
    if (this == &other) return;
    for (iterator last = before_begin(); !other.empty(); ++last)
      if (std::next(last) == end() || less(other.front(), *std::next(last)))
        splice_after(last, other, other.before_begin());
  }
  // Orders the elements, equal ones as they stood; they stay where they are.
  template <typename Less = std::less<T>>
  void sort(Less less = Less()) {
    reorder([&](auto &cells) {
      std::stable_sort(cells.begin(), cells.end(), [&](CellId one, CellId other) {
        return less((*heap_)[one].get(), (*heap_)[other].get());
      });
    });
  }
  void reverse() {
    reorder([](auto &cells) { std::reverse(cells.begin(), cells.end()); });
  }

  // Lays all of a list that has its pool for itself end to end.
  void relayout() {
    move::relayout<move::ForwardLinks<T>>(*heap_, first_);
    heap_->trim();
  }

  friend bool operator==(const forward_list &one, const forward_list &other) {
    return std::equal(one.begin(), one.end(), other.begin(), other.end());
  }
  friend auto operator<=>(const forward_list &one, const forward_list &other) {
    return std::lexicographical_compare_three_way(one.begin(), one.end(), other.begin(),
                                                  other.end(), move::Synthesized{});
  }

private:
  template <typename, typename, bool>
  friend class move::ForwardIterator;

  template <typename Each>
  iterator insert_each(const_iterator position, Each each) {
    iterator last(this, position.cell_, position.before_);
    try {
      each([&](const T &value) { last = emplace_after(last, value); });
    } catch (...) {
      while (last != position) {
        const_iterator before = position;
        while (std::next(before) != last) ++before;
        erase_after(before);
        last = iterator(this, before.cell_, before.before_);
      }
      throw;
    }
    return last;
  }
  // Links the elements again in the order into which `arrange` puts their cells.
  template <typename Arrange>
  void reorder(Arrange arrange) {
    std::vector<CellId> cells;
    for (CellId cell = first_; move::found(cell); cell = (*heap_)[cell].next) cells.push_back(cell);
    arrange(cells);
    CellId *link = &first_;
    for (const CellId cell : cells) {
      *link = cell;
      link = &(*heap_)[cell].next;
    }
    *link = move::kNoCell;
  }
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

} // namespace adcock
