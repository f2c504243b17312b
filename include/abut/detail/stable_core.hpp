// Elements in linked nodes, which stay, and a tree that finds them: what the ordered containers' interface asks of it.
//
// A small container has no tree: its few elements are searched one after the other.
#pragma once

#include "element_handle.hpp"
#include "ranges.hpp"
#include "stable_nodes.hpp"

namespace abut::detail {

template <typename Values, typename LessType, typename AllocatorType, bool Multi>
class StableCore : StableNodes<Values, LessType, AllocatorType, Multi> {
  using Nodes = StableNodes<Values, LessType, AllocatorType, Multi>;
  using Nodes::add, Nodes::add_moved, Nodes::changes_, Nodes::drop, Nodes::ends_, Nodes::gap_of;
  using Nodes::holds, Nodes::is_indexed, Nodes::key_at, Nodes::kFew, Nodes::link_at, Nodes::make,
      Nodes::pool_;
  using Nodes::size_, Nodes::step, Nodes::tree_, Nodes::unindex;
  using typename Nodes::Gap, typename Nodes::Index, typename Nodes::Made, typename Nodes::Node;
  using typename Nodes::Spot;

protected:
  using Nodes::behind, Nodes::memory, Nodes::order;
  using typename Nodes::Allocator, typename Nodes::Key, typename Nodes::Less;
  using typename Nodes::Traits, typename Nodes::Value;
  using Elements = Values;
  using Place = Link *;
  static constexpr bool kMulti = Multi;
  static constexpr bool kIsMap = Values::kIsMap;
  static constexpr bool kErasesSafely = false; // the comparison may throw

public:
  using Iterator = LinkIterator<Value, !Values::kIsMap>; // a set's elements are constant
  using ConstIterator = LinkIterator<Value, true>;
  using Handle = ElementHandle<Values, Allocator, InlineSlots<Values>>;

  // Moves all elements into fresh memory in the order of their keys: a walk then reads it from its beginning to its end.
  void relayout() requires(Values::kMovesSafely) {
    NodePool<Node> fresh;
    OnExit undo([&] { fresh.release(memory()); });
    Gap at = is_indexed() ? tree_->begin() : Gap();
    fresh.reserve(memory(), size_);
    fresh.fill_in_order(size_, [&, from = ends_.next](Node *to) mutable {
      auto *old = Nodes::node_of(from);
      from = old->next;
      ::new (static_cast<void *>(to)) Link(*old);
      to->next->previous = to->previous->next = to;
      Values::move(to->raw, std::addressof(old->value()));
      if (at.leaf == nullptr) return;
      Index::make(memory(), at.leaf->slots() + at.index, to);
      at = step(at);
    });
    undo.dismiss();
    pool_.release(memory());
    pool_.swap(fresh);
    changes_.add();
  }

protected:
  template <typename, typename, typename, bool>
  friend class StableCore;

  StableCore() = default;
  StableCore(const Less &less, Allocator allocator) : Nodes(less, std::move(allocator)) {}
  ~StableCore() { clear_all(); }

  std::size_t elements() const noexcept { return size_; }

  Iterator at(const Link *link) const noexcept { return {link, Origin(changes_)}; }
  Place first() const noexcept { return ends_.next; }
  template <typename K>
  Place find_place(const K &key) const {
    if (is_indexed()) {
      const Gap gap = tree_->find(key);
      return gap == tree_->end() ? behind() : Index::node(gap.leaf->slots()[gap.index]);
    }
    const Place place = this->template search<false>(key);
    return place != behind() && !order()(key, key_at(place)) ? place : behind();
  }
  template <bool Upper, typename K>
  Place bound_place(const K &key) const {
    return is_indexed() ? link_at(tree_->template bound<Upper>(key))
                        : this->template search<Upper>(key);
  }

  template <typename... Args>
  auto insert_keyed(const Key &key, Args &&...args) {
    const Spot spot = this->template spot_for<Multi>(key);
    if constexpr (!Multi) {
      if (holds(spot, key)) return std::pair{at(spot.link), false};
    }
    const std::size_t before = size_;
    Made made = make(std::forward<Args>(args)...);
    if (size_ != before) [[unlikely]] // what was made has changed this container
      return insert_node(std::move(made));
    return inserted(add(spot, std::move(made)));
  }
  template <typename... Args>
  auto insert_made(Args &&...args) {
    return insert_node(make(std::forward<Args>(args)...));
  }
  auto insert_node(Made &&made) {
    const Key &key = key_at(made.node);
    const Spot spot = this->template spot_for<Multi>(key);
    if constexpr (!Multi) {
      if (holds(spot, key)) return std::pair{at(spot.link), false};
    }
    return inserted(add(spot, std::move(made)));
  }
  template <typename... Args>
  Iterator insert_keyed_near(const ConstIterator &hint, const Key &key, Args &&...args) {
    const Spot spot = this->spot_near(hint.link(), key);
    if (!Multi && holds(spot, key)) return at(spot.link);
    const std::size_t before = size_;
    Made made = make(std::forward<Args>(args)...);
    if (size_ != before) [[unlikely]]
      return place_of(insert_node(std::move(made)));
    return at(add(spot, std::move(made)));
  }
  template <typename... Args>
  Iterator insert_made_near(const ConstIterator &hint, Args &&...args) {
    Made made = make(std::forward<Args>(args)...);
    const Spot spot = this->spot_near(hint.link(), key_at(made.node));
    if (!Multi && holds(spot, key_at(made.node))) return at(spot.link);
    return at(add(spot, std::move(made)));
  }

  // Elements leave and enter by a move.
  std::pair<Iterator, bool> put_handle(Handle &handle) {
    const Key &key = Values::key(handle.slot());
    const Spot spot = this->template spot_for<Multi>(key);
    if (!Multi && holds(spot, key)) return {at(spot.link), false};
    const Place place = add_moved(spot, handle.slot());
    handle.forget();
    return {at(place), true};
  }
  Iterator put_handle_near(const ConstIterator &hint, Handle &handle) {
    const Spot spot = this->spot_near(hint.link(), Values::key(handle.slot()));
    if (!Multi && holds(spot, Values::key(handle.slot()))) return at(spot.link);
    const Place place = add_moved(spot, handle.slot());
    handle.forget();
    return at(place);
  }
  Handle take_out(const ConstIterator &position) requires(Values::kMovesSafely) {
    auto *node = Nodes::node_of(position.link());
    unindex(node);
    Handle handle;
    handle.fill(memory(), std::addressof(node->value()));
    drop(node);
    return handle;
  }
  template <typename OtherLess, bool OtherMulti>
  void merge_from(StableCore<Values, OtherLess, Allocator, OtherMulti> &other) requires(
      Values::kMovesSafely) {
    for (Link *link = other.ends_.next; link != &other.ends_;) {
      Node *node = Nodes::node_of(link);
      link = link->next;
      const Spot spot = this->template spot_for<Multi>(key_at(node));
      if (!Multi && holds(spot, key_at(node))) continue;
      const Gap gap = other.is_indexed() ? other.gap_of(node) : Gap(); // which may throw: first
      add_moved(spot, node->value());
      if (gap.leaf != nullptr) other.tree_->close(gap);
      other.drop(node);
    }
  }

  // Only the search for the first may throw.
  Iterator erase_from(const ConstIterator &position, std::size_t count) {
    position.origin().check_from(changes_);
    check(count == 0 || position.link() != &ends_, "the end is erased");
    const bool has_gap = count > 0 && is_indexed();
    Gap gap = has_gap ? gap_of(Nodes::node_of(position.link())) : Gap();
    return at(erase_links(position.link(), gap, count));
  }
  // Goes along in the tree: among equal keys no node is searched for.
  template <typename Unwanted>
  void erase_each(Unwanted unwanted) {
    Gap gap = is_indexed() ? tree_->begin() : Gap();
    for (Link *link = ends_.next; link != &ends_;)
      if (unwanted(*at(link))) {
        link = erase_links(link, gap, 1);
      } else {
        link = link->next;
        if (gap.leaf != nullptr) gap = step(gap);
      }
  }
  template <typename K>
  std::size_t erase_equals(const K &key) {
    const std::size_t count = count_equals(key); // the key may be an element's
    if (count == 0) return 0;
    Gap gap = is_indexed() ? tree_->template bound<false>(key) : Gap();
    erase_links(gap.leaf != nullptr ? link_at(gap) : this->template search<false>(key), gap, count);
    return count;
  }
  template <typename K>
  std::size_t count_equals(const K &key) const {
    if constexpr (!Multi && std::is_same_v<K, Key>) {
      return find_place(key) != behind() ? 1 : 0;
    } else {
      std::size_t count = 0;
      for (const Link *link = bound_place<false>(key);
           link != &ends_ && !order()(key, key_at(link)); link = link->next)
        ++count;
      return count;
    }
  }

  void clear_all() noexcept {
    for (Link *link = ends_.next; link != &ends_;) {
      auto *node = Nodes::node_of(link);
      link = link->next;
      Traits::destroy(memory(), std::addressof(node->value()));
    }
    this->forget_index();
    pool_.release(memory());
    this->make_empty();
    changes_.add();
  }
  void copy_all(const StableCore &other) {
    OnExit undo([&] { clear_all(); });
    for (const Link *link = other.ends_.next; link != &other.ends_; link = link->next)
      add({&ends_, this->last_gap()}, make(Nodes::node_of(link)->value()));
    undo.dismiss();
  }
  // This container is empty.
  void take_all(StableCore &other) noexcept { this->swap_nodes(other); }
  void take_or_move(StableCore &other) {
    if (memory() == other.memory()) return take_all(other);
    // Keys that have moved already leave the other without an order.
    OnExit undo([&] {
      clear_all();
      other.clear_all();
    });
    for (Link *link = other.ends_.next; link != &other.ends_; link = link->next)
      Values::with_parts(Nodes::node_of(link)->value(), [&](auto &&...parts) {
        add({&ends_, this->last_gap()}, make(std::forward<decltype(parts)>(parts)...));
      });
    undo.dismiss();
    other.clear_all();
  }
  void swap_all(StableCore &other) noexcept { this->swap_nodes(other); }
  void check_all() const {
    if (is_indexed()) tree_->check();
    if (is_indexed() ? tree_->size() != size_ : size_ > kFew) fail("the index lacks elements");
    std::size_t counted = 0;
    Gap gap = is_indexed() ? tree_->begin() : Gap();
    for (const Link *link = ends_.next; link != &ends_; link = link->next, ++counted) {
      if (link->next->previous != link) fail("the elements are not linked");
      if (!is_indexed()) continue;
      if (Index::node(gap.leaf->slots()[gap.index]) != link) fail("the index is out of order");
      gap = step(gap);
    }
    if (counted != size_) fail("the size is wrong");
  }

private:
  // `gap` is where the first is in the tree, and then what follows the last.
  Link *erase_links(Link *link, Gap &gap, std::size_t count) noexcept {
    for (; count > 0; --count) {
      auto *node = Nodes::node_of(link);
      link = link->next;
      if (gap.leaf != nullptr) gap = tree_->erase(gap);
      Traits::destroy(memory(), std::addressof(node->value()));
      drop(node);
    }
    return link;
  }
  static Iterator place_of(const Iterator &place) { return place; }
  static Iterator place_of(const std::pair<Iterator, bool> &result) { return result.first; }
  auto inserted(Link *link) const noexcept {
    if constexpr (Multi)
      return at(link);
    else
      return std::pair{at(link), true};
  }
};

} // namespace abut::detail
