// What adcock::map and adcock::set share: the interface of an ordered container over a balanced tree. `Key` is what is looked
// up, `Value` what is stored, `Node` what `extract` gives; memory comes from the kernel, or from an allocator.
#pragma once

#include "balanced_tree.hpp"
#include "container.hpp"
#include "node_handle.hpp"
#include "tree_iterator.hpp"

#include <initializer_list>
#include <iterator>
#include <memory>

namespace adcock::move {

template <typename Key, typename Value, typename KeyOf, typename Less, TreeLayout Layout,
          typename Memory, typename Node>
class OrderedContainer
    : public BothWays<
          OrderedContainer<Key, Value, KeyOf, Less, Layout, Memory, Node>,
          TreeIterator<BalancedTree<Key, Value, KeyOf, Less, Layout, Memory>, Value,
                       std::is_same_v<Key, Value>>,
          TreeIterator<BalancedTree<Key, Value, KeyOf, Less, Layout, Memory>, Value, true>> {
protected:
  using Tree = BalancedTree<Key, Value, KeyOf, Less, Layout, Memory>;
  // Whether keys of other types may be looked up with `Less`.
  template <typename K>
  static constexpr bool kCompares = requires {
    typename Less::is_transparent;
  }
  &&!std::is_convertible_v<const K &, const Key &> && !std::is_same_v<K, Handle>;

  template <bool Const>
  using Iterator = TreeIterator<Tree, Value, Const>;

public:
  // NOLINTBEGIN(readability-identifier-naming): the standard's names
  using key_type = Key;
  using value_type = Value;
  using key_compare = Less;
  using allocator_type = Memory;
  using node_type = Node;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = Value &;
  using const_reference = const Value &;
  using const_iterator = Iterator<true>;
  using iterator = Iterator<std::is_same_v<Key, Value>>;
  using insert_return_type = InsertReturn<iterator, Node>;
  // NOLINTEND(readability-identifier-naming)

  explicit OrderedContainer(const Less &less = Less(), const Memory &memory = Memory())
      : tree_(std::make_unique<Tree>(less, memory)) {}
  explicit OrderedContainer(const Memory &memory) : OrderedContainer(Less(), memory) {}
  OrderedContainer(const OrderedContainer &other)
      : OrderedContainer(other.key_comp(), memory_for_copy(other.get_allocator())) {
    insert(other.begin(), other.end());
  }
  // What was moved from stays usable, for which it allocates.
  OrderedContainer(OrderedContainer &&other) // NOLINT(performance-noexcept-move-constructor)
      : tree_(std::exchange(other.tree_,
                            std::make_unique<Tree>(other.key_comp(), other.get_allocator()))) {}
  OrderedContainer &operator=(OrderedContainer other) noexcept {
    swap(other);
    return *this;
  }
  void swap(OrderedContainer &other) noexcept { std::swap(tree_, other.tree_); }

  iterator begin() { return at(tree_->first()); }
  iterator end() { return at(kNoCell); }
  const_iterator begin() const { return at(tree_->first()); }
  const_iterator end() const { return at(kNoCell); }
  size_type size() const { return tree_->size(); }
  bool empty() const { return size() == 0; }
  void clear() noexcept { tree_->clear(); }
  size_type max_size() const { return Tree::Pool::kMostCells; }
  key_compare key_comp() const { return tree_->less(); }
  allocator_type get_allocator() const { return tree_->pool().memory(); }

  iterator find(const Key &key) { return at(tree_->find(key)); }
  const_iterator find(const Key &key) const { return at(tree_->find(key)); }
  bool contains(const Key &key) const { return found(tree_->find(key)); }
  size_type count(const Key &key) const { return contains(key) ? 1 : 0; }
  iterator lower_bound(const Key &key) { return at(tree_->bound(key, false)); }
  const_iterator lower_bound(const Key &key) const { return at(tree_->bound(key, false)); }
  iterator upper_bound(const Key &key) { return at(tree_->bound(key, true)); }
  const_iterator upper_bound(const Key &key) const { return at(tree_->bound(key, true)); }
  std::pair<iterator, iterator> equal_range(const Key &key) {
    return {lower_bound(key), upper_bound(key)};
  }
  std::pair<const_iterator, const_iterator> equal_range(const Key &key) const {
    return {lower_bound(key), upper_bound(key)};
  }
  // The same for what is no key, where `Less` says that it may be compared with one.
  template <typename K>
  iterator find(const K &key) const requires kCompares<K> {
    return at(tree_->find(key));
  }
  template <typename K>
  bool contains(const K &key) const requires kCompares<K> {
    return found(tree_->find(key));
  }
  template <typename K>
  iterator lower_bound(const K &key) const requires kCompares<K> {
    return at(tree_->bound(key, false));
  }
  template <typename K>
  iterator upper_bound(const K &key) const requires kCompares<K> {
    return at(tree_->bound(key, true));
  }

  std::pair<iterator, bool> insert(const Value &value) { return add(KeyOf{}(value), value); }
  std::pair<iterator, bool> insert(Value &&value) { return add(KeyOf{}(value), std::move(value)); }
  // A hint is not needed: the place is found from the root.
  iterator insert(const_iterator /*hint*/, const Value &value) { return insert(value).first; }
  iterator insert(const_iterator /*hint*/, Value &&value) { return insert(std::move(value)).first; }
  template <std::input_iterator Input>
  void insert(Input from, Input to) {
    for (; from != to; ++from) insert(*from);
  }
  void insert(std::initializer_list<Value> values) { insert(values.begin(), values.end()); }
  template <typename... Args>
  std::pair<iterator, bool> emplace(Args &&...args) {
    return insert(Value(std::forward<Args>(args)...));
  }
  template <typename... Args>
  iterator emplace_hint(const_iterator /*hint*/, Args &&...args) {
    return emplace(std::forward<Args>(args)...).first;
  }

  size_type erase(const Key &key) {
    if (!contains(key)) return 0;
    tree_->erase(Key(key), [](Value &) {}); // `key` may be the element's own
    return 1;
  }
  // The element after the erased one.
  iterator erase(const_iterator position) {
    return take_out(position, [](Value &) {});
  }
  iterator erase(iterator position) requires(!std::is_same_v<iterator, const_iterator>) {
    return erase(const_iterator(position));
  }
  iterator erase(const_iterator from, const_iterator to) {
    // Erasing may move what follows, the end as well: it is counted out first.
    auto count = std::distance(from, to);
    iterator next = at(from.cell());
    while (count-- > 0) next = erase(next);
    return next;
  }
  template <typename Predicate>
  size_type erase_if(Predicate unwanted) {
    const size_type before = size();
    for (iterator i = begin(); i != end();) i = unwanted(*i) ? erase(i) : std::next(i);
    return before - size();
  }

  // The element leaves the container and waits in the handle.
  Node extract(const_iterator position) {
    Node node;
    take_out(position, [&](Value &value) { node.take(value); });
    return node;
  }
  Node extract(const Key &key) {
    const const_iterator position = find(key);
    return position == this->cend() ? Node() : extract(position);
  }
  insert_return_type insert(Node &&node) {
    if (node.empty()) return {end(), false, {}};
    const auto [position, is_new] = add_node(node);
    if (!is_new) return {position, false, std::move(node)};
    node = Node();
    return {position, true, {}};
  }
  // Takes over the elements of another container whose keys are not here yet.
  template <typename Source>
  void merge(Source &&source) {
    for (auto i = source.begin(); i != source.end();) {
      if (contains(KeyOf{}(*i))) {
        ++i;
        continue;
      }
      Node node;
      i = source.take_out(i, [&](Value &value) { node.take(value); });
      insert(std::move(node));
    }
  }

  // Lays all nodes out again: clusters in lines in pages. Ends what iterators and pointers there are.
  void relayout() {
    tree_->relayout();
    tree_->pool().trim();
  }
  // For large containers: fewer translations of addresses, memory in steps of 2 MiB.
  void prefer_huge_pages() { tree_->pool().prefer_huge_pages(); }
  Handle handle(const_iterator position) { return tree_->pool().handles.of(position.cell()); }
  iterator find(Handle handle) { return at(tree_->pool().handles.cell(handle)); }
  // Ends the program where the tree is out of order or balance. For tests.
  void check() const { tree_->check(); }
  // Cells for each node: how much memory the layout takes.
  double ratio() const { return tree_->pool().ratio(); }

  friend bool operator==(const OrderedContainer &one, const OrderedContainer &other) {
    return one.size() == other.size() && std::equal(one.begin(), one.end(), other.begin());
  }
  friend auto operator<=>(const OrderedContainer &one, const OrderedContainer &other) {
    return std::lexicographical_compare_three_way(one.begin(), one.end(), other.begin(),
                                                  other.end(), Synthesized{});
  }
  friend void swap(OrderedContainer &one, OrderedContainer &other) noexcept { one.swap(other); }

protected:
  template <typename, typename, typename, typename, TreeLayout, typename, typename>
  friend class OrderedContainer;

  // Erases an element after `use` has seen it; the one behind it.
  template <typename Use>
  iterator take_out(const_iterator position, Use use) {
    tree_->pool().watched = tree_->neighbour(position.cell(), 1);
    tree_->erase(Key(tree_->pool().key(position.cell())), use);
    return at(std::exchange(tree_->pool().watched, kNoCell));
  }
  // What waits in a handle stays there if its key is here.
  std::pair<iterator, bool> add_node(Node &node) {
    const auto [cell, is_new] = tree_->insert(node.key(), [&](CellId place) {
      if constexpr (std::is_same_v<Key, Value>)
        tree_->pool().construct(place, std::move(node.value()));
      else
        tree_->pool().construct(place, std::move(node.key()), std::move(node.mapped()));
    });
    return {at(cell), is_new};
  }
  iterator at(CellId cell) const { return {tree_.get(), cell}; }
  template <typename... Args>
  std::pair<iterator, bool> add(const Key &key, Args &&...args) {
    const auto [cell, is_new] = tree_->insert(
        key, [&](CellId cell) { tree_->pool().construct(cell, std::forward<Args>(args)...); });
    return {at(cell), is_new};
  }

  std::unique_ptr<Tree> tree_;
};

} // namespace adcock::move
