// adcock::list: std::list's interface, nodes that stay in traversal order.
//
// Iterators, pointers and references, by layout:
//   ListLayout{}                 good until the next insertion into or erasure from the same list
//   ListLayout{.moves = false}   good until the element is erased, as std::list's
// A handle (`list.handle(i)`, `list.find(handle)`) names an element through all moves, in either layout.
// An element whose move constructor may throw never moves. A list's nodes lie in a pool; lists may share one, and many
// small ones should: `list b(a.pool())`. `Memory` may be an allocator, whose memory goes with the nodes.
#pragma once

#include "parts/list_iterator.hpp"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <vector>

namespace adcock {

template <typename T, move::ListLayout Layout = move::ListLayout{},
          typename Memory = move::PageMemory>
class list // NOLINT(readability-identifier-naming): the standard's name
    : public move::BothWays<list<T, Layout, Memory>,
                            move::ListIterator<list<T, Layout, Memory>, T, false>,
                            move::ListIterator<list<T, Layout, Memory>, T, true>> {
  using Pool = move::ListPool<T, Layout, Memory>;
  using CellId = move::CellId;

  template <bool Const>
  using Iterator = move::ListIterator<list, T, Const>;

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
  using pool_type = std::shared_ptr<Pool>;
  // NOLINTEND(readability-identifier-naming)

  list() : list(Memory()) {}
  explicit list(const Memory &memory) : pool_(std::make_shared<Pool>(memory)) {}
  // A list whose nodes lie in the same pool as another's.
  explicit list(pool_type pool) : pool_(std::move(pool)) {}
  list(std::initializer_list<T> values, const Memory &memory = Memory())
      : list(values.begin(), values.end(), memory) {}
  explicit list(size_type count, const T &value = T(), const Memory &memory = Memory())
      : list(memory) {
    insert(end(), count, value);
  }
  template <std::input_iterator Input>
  list(Input from, Input to, const Memory &memory = Memory()) : list(memory) {
    for (; from != to; ++from) emplace_back(*from);
  }
  list(const list &other)
      : list(other.begin(), other.end(), move::memory_for_copy(other.get_allocator())) {}
  // The pool is shared by all lists of this type of node.
  // NOLINTNEXTLINE(performance-move-constructor-init)
  list(list &&other) noexcept : pool_(other.pool_), ends_(std::exchange(other.ends_, {})) {}
  list &operator=(list other) noexcept {
    swap(other);
    return *this;
  }
  ~list() { clear(); }
  void swap(list &other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(ends_, other.ends_);
  }
  friend void swap(list &one, list &other) noexcept { one.swap(other); }
  // The list is as it was where a copy throws.
  template <std::input_iterator Input>
  void assign(Input from, Input to) {
    *this = list(from, to, get_allocator());
  }
  void assign(size_type count, const T &value) { *this = list(count, value, get_allocator()); }
  void assign(std::initializer_list<T> values) { assign(values.begin(), values.end()); }

  const pool_type &pool() const { return pool_; }
  allocator_type get_allocator() const { return pool_->memory(); }
  // And what follows from these: `cbegin`, `cend`, `rbegin` and its kin.
  iterator begin() { return {this, ends_.first}; }
  iterator end() { return {this, move::kNoCell}; }
  const_iterator begin() const { return {this, ends_.first}; }
  const_iterator end() const { return {this, move::kNoCell}; }
  size_type size() const { return ends_.size; }
  bool empty() const { return ends_.size == 0; }
  size_type max_size() const { return Pool::Heap::kMostCells; }
  T &front() { return *begin(); }
  const T &front() const { return *begin(); }
  T &back() { return *std::prev(end()); }
  const T &back() const { return *std::prev(end()); }

  template <typename... Args>
  iterator emplace(const_iterator position, Args &&...args) {
    // Made before anything moves: an argument may be an element of this list, and the constructor may throw.
    T value(std::forward<Args>(args)...);
    CellId after = position.cell_;
    CellId before = move::found(after) ? (*pool_)[after].previous : ends_.last;
    const CellId cell = pool_->allocate(ends_, before, after);
    try {
      ::new (static_cast<void *>((*pool_)[cell].value)) T(std::move(value));
    } catch (...) {
      pool_->heap.free(cell);
      throw;
    }
    pool_->link(ends_, cell, before, after);
    return {this, cell};
  }
  iterator insert(const_iterator position, const T &value) { return emplace(position, value); }
  iterator insert(const_iterator position, T &&value) {
    return emplace(position, std::move(value));
  }
  // The first of what was inserted. What was inserted before a copy threw is taken out again.
  template <std::input_iterator Input>
  iterator insert(const_iterator position, Input from, Input to) {
    return insert_each(position, [&](auto put) {
      for (; from != to; ++from) put(*from);
    });
  }
  iterator insert(const_iterator position, size_type count, const T &value) {
    return insert_each(position, [&, kept = value](auto put) { // it may be an element
      for (size_type i = 0; i < count; ++i) put(kept);
    });
  }
  iterator insert(const_iterator position, std::initializer_list<T> values) {
    return insert(position, values.begin(), values.end());
  }
  template <typename... Args>
  T &emplace_back(Args &&...args) {
    return *emplace(end(), std::forward<Args>(args)...);
  }
  template <typename... Args>
  T &emplace_front(Args &&...args) {
    return *emplace(begin(), std::forward<Args>(args)...);
  }
  void push_back(const T &value) { emplace(end(), value); }
  void push_back(T &&value) { emplace(end(), std::move(value)); }
  void push_front(const T &value) { emplace(begin(), value); }
  void push_front(T &&value) { emplace(begin(), std::move(value)); }

  // The element after the erased one.
  iterator erase(const_iterator position) {
    const CellId cell = position.cell_;
    CellId next = (*pool_)[cell].next;
    (*pool_)[cell].get().~T();
    pool_->unlink(ends_, cell);
    pool_->free(ends_, cell, next);
    return {this, next};
  }
  iterator erase(const_iterator from, const_iterator to) {
    // The end may move with its neighbours, so that it is counted out first.
    auto count = std::distance(from, to);
    iterator next(this, from.cell_);
    while (count-- > 0) next = erase(next);
    return next;
  }
  void pop_back() { erase(std::prev(end())); }
  void pop_front() { erase(begin()); }
  void clear() noexcept { pool_->release(ends_); }
  void resize(size_type size, const T &value = T()) {
    while (ends_.size > size) pop_back();
    while (ends_.size < size) push_back(value);
  }

  template <typename Predicate>
  size_type remove_if(Predicate unwanted) {
    const size_type before = size();
    for (iterator i = begin(); i != end();) i = unwanted(*i) ? erase(i) : std::next(i);
    return before - size();
  }
  size_type remove(const T &value) {
    const T kept(value); // it may be an element
    return remove_if([&](const T &element) { return element == kept; });
  }
  // Orders the elements, equal ones as they stood; then lays the list out again.
  template <typename Less = std::less<T>>
  void sort(Less less = Less()) {
    pool_->reorder(ends_, [&](std::vector<CellId> &cells, const auto &by_value) {
      std::stable_sort(cells.begin(), cells.end(), by_value(less));
    });
  }

  // Elements of a list in the same pool change lists as they are; those of another pool are moved. O(1) for whole lists of
  // the same pool, else linear in what changes lists.
  void splice(const_iterator position, list &other) {
    if (this != &other) splice(position, other, other.cbegin(), other.cend());
  }
  void splice(const_iterator position, list &&other) { splice(position, other); }
  void splice(const_iterator position, list &other, const_iterator element) {
    splice(position, other, element, std::next(element));
  }
  void splice(const_iterator position, list &other, const_iterator from, const_iterator to) {
    if (from == to) return;
    const bool whole = from == other.cbegin() && to == other.cend();
    const auto count = whole ? other.size() : static_cast<size_type>(std::distance(from, to));
    if (pool_ == other.pool_) {
      pool_->transfer(ends_, position.cell_, other.ends_, from.cell_, to.cell_, count);
      return;
    }
    iterator next(&other, from.cell_);
    for (size_type i = 0; i < count; ++i) {
      position = std::next(emplace(position, std::move(*next)));
      next = other.erase(next);
    }
  }
  // Both lists are in order; equal elements of this one stay before those of the other.
  template <typename Less = std::less<T>>
  void merge(list &other, Less less = Less()) {
    if (this == &other) return;
    const size_type own = size();
    splice(this->cend(), other);
    pool_->reorder(ends_, [&](std::vector<CellId> &cells, const auto &by_value) {
      const auto middle = cells.begin() + static_cast<difference_type>(own);
      std::inplace_merge(cells.begin(), middle, cells.end(), by_value(less));
    });
  }
  void reverse() {
    pool_->reorder(ends_, [](std::vector<CellId> &cells, const auto &) {
      std::reverse(cells.begin(), cells.end());
    });
  }
  template <typename Equal = std::equal_to<T>>
  size_type unique(Equal equal = Equal()) {
    const size_type before = size();
    for (iterator i = begin(); i != end();) {
      const iterator next = std::next(i);
      if (next == end()) break;
      if (!equal(*i, *next)) {
        i = next;
        continue;
      }
      i = erase(next); // what comes behind it; the element that stays is before that
      i = i == end() ? end() : std::prev(i);
    }
    return before - size();
  }

  // Ends the program where the layout is not as promised; not for what was spliced. For tests.
  void check() const { pool_->check(ends_); }
  // Moves the elements into fresh blocks in order. Ends what iterators and pointers there are.
  void relayout() { pool_->relayout(ends_); }
  move::Handle handle(const_iterator position) { return pool_->handles.of(position.cell_); }
  // The element; end() if it has been erased.
  iterator find(move::Handle handle) { return {this, pool_->handles.cell(handle)}; }

  friend bool operator==(const list &one, const list &other) {
    return one.size() == other.size() && std::equal(one.begin(), one.end(), other.begin());
  }
  friend auto operator<=>(const list &one, const list &other) {
    return std::lexicographical_compare_three_way(one.begin(), one.end(), other.begin(),
                                                  other.end(), move::Synthesized{});
  }

private:
  template <typename, typename, bool>
  friend class move::ListIterator;
  template <typename Each>
  iterator insert_each(const_iterator position, Each each) {
    iterator next(this, position.cell_);
    difference_type count = 0;
    try {
      each([&](const T &value) {
        next = std::next(emplace(next, value));
        ++count;
      });
    } catch (...) {
      for (; count > 0; --count) next = erase(std::prev(next));
      throw;
    }
    return std::prev(next, count);
  }

  pool_type pool_;
  move::ListEnds ends_;
};

// As std::erase_if: how many elements went.
template <typename T, move::ListLayout Layout, typename Memory, typename Predicate>
std::size_t erase_if(list<T, Layout, Memory> &from, Predicate unwanted) {
  return from.remove_if(unwanted);
}
template <typename T, move::ListLayout Layout, typename Memory>
std::size_t erase(list<T, Layout, Memory> &from, const T &value) {
  return from.remove(value);
}

} // namespace adcock
