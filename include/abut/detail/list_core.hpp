// The nodes of a list: how they are made, linked, given away, and moved into the order of the list.
#pragma once

#include "list_iterator.hpp"
#include "ranges.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <type_traits>

namespace abut::detail {

template <typename T, typename Allocator>
class ListCore {
protected:
  using Node = LinkedNode<T>;
  using Traits = std::allocator_traits<Allocator>;
  using Iterator = LinkIterator<T, false>;
  using ConstIterator = LinkIterator<T, true>;

  explicit ListCore(Allocator allocator) noexcept : allocator_(std::move(allocator)) {
    make_empty();
  }
  ListCore(const ListCore &) = delete;
  ListCore &operator=(const ListCore &) = delete;
  ~ListCore() { clear_all(); }

  Iterator at(const Link *link) const noexcept { return {link, Origin(changes_)}; }
  // A walk may begin: what lies a few lines on is fetched, which the processor would do once it had read so far. Of
  // many short lists in a row that is the end of this one, or the next.
  Link *first() const noexcept {
    __builtin_prefetch(reinterpret_cast<const std::byte *>(ends_.next) + 256);
    return ends_.next;
  }

  template <typename... Args>
  Node *make_before(Link *place, Args &&...args) {
    Node *node = pool_.take(allocator_, size_);
    OnExit undo([&] { pool_.give(::new (node) Node); });
    Traits::construct(allocator_, reinterpret_cast<T *>(node->raw), std::forward<Args>(args)...);
    undo.dismiss();
    ::new (static_cast<void *>(node)) Link;
    node->put_before(place);
    ++size_;
    return node;
  }
  Link *erase_link(Link *link) noexcept {
    Link *const next = link->next;
    link->take_out();
    drop(link);
    return next;
  }
  void clear_all() noexcept {
    for (Link *link = ends_.next; link != &ends_;) {
      Link *const next = link->next;
      Traits::destroy(allocator_, std::addressof(static_cast<Node *>(link)->value()));
      link = next;
    }
    pool_.release(allocator_);
    make_empty();
    changes_.add();
  }
  template <typename Action>
  void undo_on_throw(Action action) {
    OnExit undo([&] { clear_all(); });
    action();
    undo.dismiss();
  }

  // The other's nodes; this list has none.
  void take(ListCore &other) noexcept {
    pool_.swap(other.pool_);
    if (other.size_ > 0) {
      ends_ = other.ends_;
      ends_.next->previous = ends_.previous->next = &ends_;
    }
    size_ = other.size_;
    other.make_empty();
    other.changes_.add();
  }
  void swap_nodes(ListCore &other) noexcept {
    if (this == std::addressof(other)) return;
    pool_.swap(other.pool_);
    std::swap(ends_, other.ends_);
    std::swap(size_, other.size_);
    mend_ends();
    other.mend_ends();
    changes_.add();
    other.changes_.add();
  }
  // All nodes of another list, with the memory that they lie in. What is then taken out of this list is not used again for what
  // is put into the other, so that memory has to go back now and then.
  void adopt(Link *place, ListCore &other) noexcept {
    if (other.size_ > 0) move_links(place, other.ends_.next, &other.ends_);
    pool_.adopt(other.pool_);
    if (is_drawn(other.size_, size_)) pool_.give_back_unused(allocator_);
    size_ += other.size_;
    other.make_empty();
    other.changes_.add();
  }
  static void move_links(Link *place, Link *from, Link *to) noexcept {
    Link *const last = to->previous;
    from->previous->next = to;
    to->previous = from->previous;
    from->previous = place->previous;
    place->previous->next = from;
    last->next = place;
    place->previous = last;
  }
  // Elements that go are destroyed once all are known.
  template <typename Unwanted>
  std::size_t take_out_where(Unwanted unwanted) {
    Link gone;
    gone.next = gone.previous = &gone;
    std::size_t count = 0;
    OnExit drop_all([&] {
      for (Link *link = gone.next; link != &gone;) drop(std::exchange(link, link->next));
    });
    for (Link *link = ends_.next; link != &ends_;) {
      Link *const next = link->next;
      if (unwanted(at(link))) {
        link->take_out();
        link->put_before(&gone);
        ++count;
      }
      link = next;
    }
    return count; // and now they go
  }

  template <typename Less>
  void sort_all(Less less) {
    using Item = std::conditional_t<kIsPlain, T, Node *>;
    if (size_ < 2) return;
    Scratch<Item> items(size_);
    if (!items.exists()) {
      merge_sort(ends_.next, size_, less);
      return;
    }
    for (Link *link = ends_.next; link != &ends_; link = link->next) {
      if constexpr (kIsPlain)
        items.add(static_cast<Node *>(link)->value());
      else
        items.add(static_cast<Node *>(link));
    }
    Item *const sorted = items.sort([&](Item &one, Item &other) {
      if constexpr (kIsPlain)
        return less(one, other);
      else
        return less(one->value(), other->value());
    });
    if constexpr (kIsPlain)
      refill(sorted);
    else
      take_order(sorted, sorted + size_);
  }
  void relayout_nodes() {
    move_to_fresh_nodes([from = ends_.next]() mutable {
      return static_cast<Node *>(std::exchange(from, from->next));
    });
  }

  NodePool<Node> pool_;
  Link ends_;
  std::size_t size_ = 0;
  [[no_unique_address]] Allocator allocator_;
  [[no_unique_address]] Changes changes_;

private:
  // Small plain elements are sorted themselves; of others, pointers to their nodes.
  static constexpr bool kIsPlain =
      std::is_trivially_copyable_v<T> && std::is_copy_constructible_v<T> &&
      std::is_copy_assignable_v<T> && sizeof(T) <= 4 * sizeof(void *) &&
      alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__;

  // The elements come into the nodes as these lie in memory.
  void refill(const T *item) noexcept {
    LinkAppender list(&ends_);
    pool_.fill_in_order(size_, [&](Node *node) {
      list.append(::new (static_cast<void *>(node)) Link);
      ::new (static_cast<void *>(node->raw)) T(std::move(*item++));
    });
    changes_.add();
  }
  // `next` names the nodes in the order that they are to have.
  template <typename Next>
  void move_to_fresh_nodes(Next next) {
    NodePool<Node> fresh;
    OnExit undo([&] { fresh.release(allocator_); });
    fresh.reserve(allocator_, size_);
    undo.dismiss();
    LinkAppender list(&ends_);
    fresh.fill_in_order(size_, [&](Node *to) {
      Node *old = next();
      list.append(::new (static_cast<void *>(to)) Link);
      ::new (static_cast<void *>(to->raw)) T(std::move(old->value()));
      Traits::destroy(allocator_, std::addressof(old->value()));
    });
    pool_.release(allocator_);
    pool_.swap(fresh);
    changes_.add();
  }
  // Lays elements out in the order of their nodes. Where there is no memory to move to, or a move may throw, they stay.
  void take_order(Node **from, Node **to) {
    if constexpr (std::is_nothrow_move_constructible_v<T>) {
#if defined(__cpp_exceptions)
      try {
#endif
        // They lie about at random; what comes soon is fetched.
        constexpr std::ptrdiff_t kAhead = 16;
        return move_to_fresh_nodes([&] {
          if (to - from > kAhead) __builtin_prefetch(from[kAhead]);
          return *from++;
        });
#if defined(__cpp_exceptions)
      } catch (...) {
      }
#endif
    }
    LinkAppender list(&ends_);
    while (from != to) list.append(*from++);
  }
  // Sorts `count` elements from `first` without memory, and returns the new first. When `less` throws, all are still there.
  template <typename Less>
  static Link *merge_sort(Link *first, std::size_t count, Less &less) {
    if (count < 2) return first;
    const std::size_t half = count / 2;
    Link *second = first;
    for (std::size_t i = 0; i < half; ++i) second = second->next;
    first = merge_sort(first, half, less);
    second = merge_sort(second, count - half, less);
    Link *const before = first->previous;
    for (std::size_t left = half, right = count - half; left > 0 && right > 0;) {
      if (less(static_cast<Node *>(second)->value(), static_cast<Node *>(first)->value())) {
        Link *const next = second->next;
        move_links(first, second, next);
        second = next;
        --right;
      } else {
        first = first->next;
        --left;
      }
    }
    return before->next;
  }
  // By chance, once for as many nodes as there are: a count would make each list longer.
  static bool is_drawn(std::size_t adopted, std::size_t live) noexcept {
    constexpr std::size_t kFew = 64;
    thread_local std::uint64_t draws = 0;
    draws = draws * 6364136223846793005U + 1442695040888963407U; // Knuth's
    return (draws >> 33) % (live + kFew) < adopted;
  }
  void make_empty() noexcept {
    ends_.next = ends_.previous = &ends_;
    size_ = 0;
  }
  void mend_ends() noexcept {
    if (size_ == 0)
      make_empty();
    else
      ends_.next->previous = ends_.previous->next = &ends_;
  }
  void drop(Link *link) noexcept {
    auto *node = static_cast<Node *>(link);
    Traits::destroy(allocator_, std::addressof(node->value()));
    pool_.give(node);
    if (--size_ == 0) pool_.reset(allocator_);
  }
};

} // namespace abut::detail
