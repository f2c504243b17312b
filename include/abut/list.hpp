// abut::list: the interface of std::list, nodes in chunks in the order of their birth, and `relayout` for any other order.
//
// An element stays where it is until it is erased, as in std::list, but for three operations that say so: `relayout` and
// `sort` move all elements, so that they lie in the order of the list; `splice` of a part of another list moves that part.
#pragma once

#include "detail/list_core.hpp"

#include <compare>
#include <functional>
#include <memory_resource>

namespace abut {

// NOLINTBEGIN(readability-identifier-naming): the standard's names
template <typename T, typename Allocator = std::allocator<T>>
class list : protected detail::ListCore<T, Allocator> {
  using Core = detail::ListCore<T, Allocator>;
  using Link = detail::Link;
  using Core::at, Core::make_before, Core::size_, Core::allocator_;
  using typename Core::Node, typename Core::Traits;
  static constexpr bool kMovesSafely = std::is_nothrow_move_constructible_v<T>;

public:
  using value_type = T;
  using allocator_type = Allocator;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T &;
  using const_reference = const T &;
  using pointer = typename Traits::pointer;
  using const_pointer = typename Traits::const_pointer;
  using iterator = typename Core::Iterator;
  using const_iterator = typename Core::ConstIterator;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;
  static_assert(std::is_same_v<typename Traits::value_type, T>,
                "the allocator is for another type");

  list() noexcept(std::is_nothrow_default_constructible_v<Allocator>) : Core(Allocator()) {}
  explicit list(const Allocator &allocator) noexcept : Core(allocator) {}
  explicit list(size_type count, const Allocator &allocator = Allocator()) : Core(allocator) {
    this->undo_on_throw([&] { resize(count); });
  }
  list(size_type count, const T &value, const Allocator &allocator = Allocator())
      : Core(allocator) {
    this->undo_on_throw([&] { insert(end(), count, value); });
  }
  template <std::input_iterator Input>
  list(Input from, Input to, const Allocator &allocator = Allocator()) : Core(allocator) {
    this->undo_on_throw([&] { insert(end(), from, to); });
  }
  list(std::initializer_list<T> values, const Allocator &allocator = Allocator())
      : list(values.begin(), values.end(), allocator) {}
  template <std::ranges::input_range Range>
  list(FromRange, Range &&range, const Allocator &allocator = Allocator()) : Core(allocator) {
    this->undo_on_throw([&] { append_range(std::forward<Range>(range)); });
  }
  list(const list &other)
      : list(other.begin(), other.end(),
             Traits::select_on_container_copy_construction(other.allocator_)) {}
  list(const list &other, const std::type_identity_t<Allocator> &allocator)
      : list(other.begin(), other.end(), allocator) {}
  list(list &&other) noexcept(std::is_nothrow_move_constructible_v<Allocator>)
      : Core(std::move(other.allocator_)) {
    this->take(other);
  }
  list(list &&other, const std::type_identity_t<Allocator> &allocator) : Core(allocator) {
    take_or_move(other);
  }
  list &operator=(const list &other) {
    if (this == std::addressof(other)) return *this;
    if constexpr (Traits::propagate_on_container_copy_assignment::value) {
      if (allocator_ != other.allocator_) this->clear_all();
      allocator_ = other.allocator_;
    }
    assign(other.begin(), other.end());
    return *this;
  }
  list &operator=(list &&other) noexcept(Traits::is_always_equal::value) {
    if (this == std::addressof(other)) return *this;
    this->clear_all();
    if constexpr (Traits::propagate_on_container_move_assignment::value) {
      allocator_ = std::move(other.allocator_);
      this->take(other);
    } else {
      take_or_move(other);
    }
    return *this;
  }
  list &operator=(std::initializer_list<T> values) {
    assign(values);
    return *this;
  }
  ~list() = default;

  template <std::input_iterator Input>
  void assign(Input from, Input to) {
    list made(from, to, allocator_);
    this->swap_nodes(made);
  }
  void assign(size_type count, const T &value) {
    list made(count, value, allocator_);
    this->swap_nodes(made);
  }
  void assign(std::initializer_list<T> values) { assign(values.begin(), values.end()); }
  template <std::ranges::input_range Range>
  void assign_range(Range &&range) {
    list made(from_range, std::forward<Range>(range), allocator_);
    this->swap_nodes(made);
  }

  allocator_type get_allocator() const noexcept { return allocator_; }
  iterator begin() noexcept { return at(this->first()); }
  const_iterator begin() const noexcept { return at(this->first()); }
  iterator end() noexcept { return at(&this->ends_); }
  const_iterator end() const noexcept { return at(&this->ends_); }
  const_iterator cbegin() const noexcept { return begin(); }
  const_iterator cend() const noexcept { return end(); }
  reverse_iterator rbegin() noexcept { return reverse_iterator(end()); }
  const_reverse_iterator rbegin() const noexcept { return const_reverse_iterator(end()); }
  reverse_iterator rend() noexcept { return reverse_iterator(begin()); }
  const_reverse_iterator rend() const noexcept { return const_reverse_iterator(begin()); }
  const_reverse_iterator crbegin() const noexcept { return rbegin(); }
  const_reverse_iterator crend() const noexcept { return rend(); }

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  size_type size() const noexcept { return size_; }
  size_type max_size() const noexcept {
    return std::min<size_type>(std::numeric_limits<difference_type>::max() / sizeof(Node),
                               Traits::max_size(allocator_));
  }
  T &front() noexcept { return *begin(); }
  const T &front() const noexcept { return *begin(); }
  T &back() noexcept { return *std::prev(end()); }
  const T &back() const noexcept { return *std::prev(end()); }

  template <typename... Args>
  iterator emplace(const_iterator place, Args &&...args) {
    return at(make_before(place.link(), std::forward<Args>(args)...));
  }
  template <typename... Args>
  T &emplace_back(Args &&...args) {
    return make_before(&this->ends_, std::forward<Args>(args)...)->value();
  }
  template <typename... Args>
  T &emplace_front(Args &&...args) {
    return make_before(this->ends_.next, std::forward<Args>(args)...)->value();
  }
  void push_back(const T &value) { emplace_back(value); }
  void push_back(T &&value) { emplace_back(std::move(value)); }
  void push_front(const T &value) { emplace_front(value); }
  void push_front(T &&value) { emplace_front(std::move(value)); }
  iterator insert(const_iterator place, const T &value) { return emplace(place, value); }
  iterator insert(const_iterator place, T &&value) { return emplace(place, std::move(value)); }
  // All or none of what follows, and the first of it.
  iterator insert(const_iterator place, size_type count, const T &value) {
    return insert_all(place, [&] {
      for (size_type i = 0; i < count; ++i) emplace(place, value);
    });
  }
  template <std::input_iterator Input>
  iterator insert(const_iterator place, Input from, Input to) {
    return insert_all(place, [&] {
      for (; from != to; ++from) emplace(place, *from);
    });
  }
  iterator insert(const_iterator place, std::initializer_list<T> values) {
    return insert(place, values.begin(), values.end());
  }
  template <std::ranges::input_range Range>
  iterator insert_range(const_iterator place, Range &&range) {
    return insert_all(place, [&] {
      for (auto &&value : range) emplace(place, std::forward<decltype(value)>(value));
    });
  }
  template <std::ranges::input_range Range>
  void append_range(Range &&range) {
    insert_range(cend(), std::forward<Range>(range));
  }
  template <std::ranges::input_range Range>
  void prepend_range(Range &&range) {
    insert_range(cbegin(), std::forward<Range>(range));
  }

  iterator erase(const_iterator place) noexcept {
    place.origin().check_from(this->changes_);
    detail::check(place.link() != &this->ends_, "the end is erased");
    return at(this->erase_link(place.link()));
  }
  iterator erase(const_iterator from, const_iterator to) noexcept {
    while (from != to) from = erase(from);
    return at(to.link());
  }
  void pop_back() noexcept { erase(std::prev(end())); }
  void pop_front() noexcept { erase(begin()); }
  void clear() noexcept { this->clear_all(); }
  void resize(size_type count) {
    shrink(count);
    const const_iterator place = cend();
    insert_all(place, [&] {
      for (size_type missing = count - size_; missing > 0; --missing) emplace(place);
    });
  }
  void resize(size_type count, const T &value) {
    shrink(count);
    insert(cend(), count - size_, value);
  }
  void swap(list &other) noexcept(Traits::is_always_equal::value) {
    if constexpr (Traits::propagate_on_container_swap::value) {
      using std::swap;
      swap(allocator_, other.allocator_);
    }
    this->swap_nodes(other);
  }
  friend void swap(list &one, list &other) noexcept(noexcept(one.swap(other))) { one.swap(other); }

  // A whole list changes hands as it is; of another list's part the elements move.
  void splice(const_iterator place, list &other) {
    if (this != std::addressof(other)) this->adopt(place.link(), other);
  }
  void splice(const_iterator place, list &&other) { splice(place, other); }
  void splice(const_iterator place, list &other, const_iterator element) {
    splice(place, other, element, std::next(element));
  }
  void splice(const_iterator place, list &&other, const_iterator element) {
    splice(place, other, element);
  }
  void splice(const_iterator place, list &&other, const_iterator from, const_iterator to) {
    splice(place, other, from, to);
  }
  void splice(const_iterator place, list &other, const_iterator from, const_iterator to) {
    if (from == to) return;
    if (this == std::addressof(other)) {
      if (place != to && place != from) Core::move_links(place.link(), from.link(), to.link());
    } else if (from == other.cbegin() && to == other.cend()) {
      this->adopt(place.link(), other);
    } else {
      while (from != to) {
        emplace(place, std::move(*at(from.link())));
        from = other.erase(from);
      }
    }
  }
  // Both lists are in order; of equals this one's come first. Nothing moves.
  template <typename Less = std::less<>>
  void merge(list &other, Less less = Less()) {
    if (this == std::addressof(other)) return;
    const iterator middle = at(other.empty() ? &this->ends_ : other.ends_.next);
    this->adopt(&this->ends_, other);
    for (iterator one = begin(), theirs = middle; one != theirs && theirs != end();) {
      if (!less(*theirs, *one)) {
        ++one;
        continue;
      }
      const iterator next = std::next(theirs);
      Core::move_links(one.link(), theirs.link(), next.link());
      theirs = next;
    }
  }
  template <typename Less = std::less<>>
  void merge(list &&other, Less less = Less()) {
    merge(other, less);
  }
  size_type remove(const T &value) {
    return remove_if([&](T &element) { return element == value; });
  }
  // What goes is taken out last: the argument may be an element.
  template <typename Predicate>
  size_type remove_if(Predicate unwanted) {
    return this->take_out_where([&](iterator i) { return bool(unwanted(*i)); });
  }
  template <typename Equal = std::equal_to<>>
  size_type unique(Equal equal = Equal()) {
    if (empty()) return 0;
    iterator kept = begin();
    return this->take_out_where([&](iterator i) {
      if (i == kept) return false;
      if (equal(*kept, *i)) return true;
      kept = i;
      return false;
    });
  }
  void reverse() noexcept {
    Link *link = &this->ends_;
    do {
      std::swap(link->next, link->previous);
      link = link->previous;
    } while (link != &this->ends_);
  }
  // Orders the elements, equal ones as they stood, and lays them out in that order where their moves do not throw. What
  // the comparison throws leaves the list as it was; where there is no memory to sort in, only with all its elements.
  template <typename Less = std::less<>>
  void sort(Less less = Less()) {
    this->sort_all(std::move(less));
  }

  // Moves all elements into fresh memory in the order of the list: a walk then reads it from its beginning to its end.
  void relayout() requires(kMovesSafely) { this->relayout_nodes(); }

  friend bool operator==(const list &one, const list &other) {
    return one.size() == other.size() && std::equal(one.begin(), one.end(), other.begin());
  }
  // A template, since clang 14 tests a plain friend's requirement while elements may be incomplete.
  template <typename V = T>
  requires(detail::HasOrder<V>) friend auto operator<=>(const list &one, const list &other) {
    return std::lexicographical_compare_three_way(one.begin(), one.end(), other.begin(),
                                                  other.end(), detail::SynthThreeWay{});
  }

private:
  void shrink(size_type count) noexcept {
    for (size_type left = size_; left > count; --left) pop_back();
  }
  template <typename Insert>
  iterator insert_all(const_iterator place, Insert insert) {
    Link *const before = place.link()->previous;
    detail::OnExit undo([&] { erase(at(before->next), place); });
    insert();
    undo.dismiss();
    return at(before->next);
  }
  void take_or_move(list &other) {
    if (allocator_ == other.allocator_) {
      this->take(other);
    } else {
      this->undo_on_throw([&] {
        for (T &value : other) emplace_back(std::move(value));
      });
    }
  }
};

template <std::input_iterator Input, detail::AllocatorLike Allocator = std::allocator<
                                         typename std::iterator_traits<Input>::value_type>>
list(Input, Input, Allocator = Allocator())
    -> list<typename std::iterator_traits<Input>::value_type, Allocator>;
template <std::ranges::input_range Range,
          detail::AllocatorLike Allocator = std::allocator<std::ranges::range_value_t<Range>>>
list(FromRange, Range &&, Allocator = Allocator())
    -> list<std::ranges::range_value_t<Range>, Allocator>;

// As std::erase_if and std::erase: how many elements went.
template <typename T, typename Allocator, typename Predicate>
std::size_t erase_if(list<T, Allocator> &from, Predicate unwanted) {
  return from.remove_if(unwanted);
}
template <typename T, typename Allocator, typename U>
std::size_t erase(list<T, Allocator> &from, const U &value) {
  return from.remove_if([&](const T &element) { return element == value; });
}

namespace pmr {
template <typename T>
using list = abut::list<T, std::pmr::polymorphic_allocator<T>>;
} // namespace pmr
// NOLINTEND(readability-identifier-naming)

} // namespace abut
