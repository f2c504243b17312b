// The nodes of a list: how they are made, linked, given away, and moved into the order of the list.
#pragma once

#include "list_iterator.hpp"
#include "ranges.hpp"

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
  // All nodes of another list, with the memory that they lie in.
  void adopt(Link *place, ListCore &other) noexcept {
    if (other.size_ > 0) move_links(place, other.ends_.next, &other.ends_);
    pool_.adopt(other.pool_);
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
      if (unwanted(ConstIterator(at(link)))) {
        link->take_out();
        link->put_before(&gone);
        ++count;
      }
      link = next;
    }
    return count; // and now they go
  }

  void link_in_order(const auto &nodes) noexcept {
    Link *last = &ends_;
    for (Node *node : nodes) {
      last->next = node;
      node->previous = last;
      last = node;
    }
    last->next = &ends_;
    ends_.previous = last;
  }
  void relayout_nodes() {
    NodePool<Node> fresh;
    OnExit undo([&] { fresh.release(allocator_); });
    fresh.fill_in_order(allocator_, size_, [&, from = ends_.next](Node *to) mutable {
      auto *old = static_cast<Node *>(from);
      from = old->next;
      ::new (static_cast<void *>(to)) Link(*old);
      to->next->previous = to->previous->next = to;
      ::new (static_cast<void *>(to->raw)) T(std::move(old->value()));
      Traits::destroy(allocator_, std::addressof(old->value()));
    });
    undo.dismiss();
    pool_.release(allocator_);
    pool_.swap(fresh);
    changes_.add();
  }
  // Without memory to move to, elements stay where they are.
  void relayout_if_possible() noexcept {
#if defined(__cpp_exceptions)
    try {
      relayout_nodes();
    } catch (...) {
    }
#else
    relayout_nodes();
#endif
  }

  NodePool<Node> pool_;
  Link ends_;
  std::size_t size_ = 0;
  [[no_unique_address]] Allocator allocator_;
  [[no_unique_address]] Changes changes_;

private:
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
