// abut::unordered_map: a hash table of chains, the part of std::unordered_map's interface that does without buckets. A
// node lies in the line of its chain's first, if there is room; whenever the table grows, all chains are laid out anew in
// the order of the table.
//
// Iterators, pointers and references, by layout:
//   ChainLayout{}                 good until the table grows (`reserve` keeps it from that) or the element is erased
//   ChainLayout{.moves = false}   good until the element is erased or `relayout` called
// A handle (`map.handle(i)`, `map.find(handle)`) names an element through all moves. Values must move without throwing.
#pragma once

#include "handles.hpp"
#include "relayout.hpp"

#include <functional>
#include <iterator>
#include <stdexcept>
#include <tuple>

namespace abut {
namespace move {

// How the chains of a hash table are laid out.
struct ChainLayout {
  // False: no node moves unless asked to.
  bool moves = true;
  // How many cells there may be for 100 nodes before lines that are not empty are used, too: the m of Adcock's.
  std::uint32_t percent = 150;
};

template <typename Key, typename Value>
struct ChainNode {
  CellId next;
  std::uint32_t hash; // what decides before keys are compared
  alignas(Value) std::byte value[sizeof(Value)];
  Value &get() { return *std::launder(reinterpret_cast<Value *>(value)); }
  const Value &get() const { return *std::launder(reinterpret_cast<const Value *>(value)); }
};

template <typename Node>
struct ChainPool : RdsHeap<Node, Geometry{}, Emptiest<Level::line, Level::heap>::needs()> {
  HandleTable handles;
};

template <typename Key, typename Value>
struct ChainLinks : IndexLinks<&ChainNode<Key, Value>::next> {
  template <typename Heap>
  static void relocate(Heap &heap, CellId from, CellId to) noexcept {
    static_assert(std::is_nothrow_move_constructible_v<Value>, "a move must not fail half way");
    auto &old = heap[from];
    heap[to].next = old.next;
    heap[to].hash = old.hash;
    ::new (static_cast<void *>(heap[to].value)) Value(std::move(old.get()));
    old.get().~Value();
    heap.handles.moved(from, to);
  }
};

} // namespace move

template <typename Key, typename T, typename Hash = std::hash<Key>,
          typename Equal = std::equal_to<Key>, move::ChainLayout Layout = move::ChainLayout{}>
class unordered_map { // NOLINT(readability-identifier-naming): the standard's name
  using CellId = move::CellId;
  using Value = std::pair<const Key, T>;
  using Node = move::ChainNode<Key, Value>;
  using Links = move::ChainLinks<Key, Value>;
  using Heap = move::ChainPool<Node>;

  template <bool Const>
  class Iterator {
  public:
    // NOLINTBEGIN(readability-identifier-naming): the standard's names
    using iterator_category = std::forward_iterator_tag;
    using value_type = Value;
    using difference_type = std::ptrdiff_t;
    using pointer = std::conditional_t<Const, const Value *, Value *>;
    using reference = std::conditional_t<Const, const Value &, Value &>;
    // NOLINTEND(readability-identifier-naming)

    Iterator() = default;
    operator Iterator<true>() const requires(!Const) { return {owner_, cell_}; }
    reference operator*() const { return owner_->heap_[cell_].get(); }
    pointer operator->() const { return &**this; }
    Iterator &operator++() {
      const Node &node = owner_->heap_[cell_];
      cell_ = move::found(node.next) ? node.next : owner_->first_from(owner_->slot(node.hash) + 1);
      return *this;
    }
    Iterator operator++(int) {
      const Iterator old = *this;
      ++*this;
      return old;
    }
    bool operator==(const Iterator &other) const { return cell_ == other.cell_; }

  private:
    friend class unordered_map;
    template <bool>
    friend class Iterator;
    using Owner = std::conditional_t<Const, const unordered_map, unordered_map>;
    Iterator(Owner *owner, CellId cell) : owner_(owner), cell_(cell) {}
    Owner *owner_ = nullptr;
    CellId cell_ = move::kNoCell;
  };

public:
  // NOLINTBEGIN(readability-identifier-naming): the standard's names
  using key_type = Key;
  using mapped_type = T;
  using value_type = Value;
  using size_type = std::size_t;
  using iterator = Iterator<false>;
  using const_iterator = Iterator<true>;
  // NOLINTEND(readability-identifier-naming)

  unordered_map() : chains_(16, move::kNoCell) { heap_.bound_ratio(Layout.percent / 100.0); }
  unordered_map(const unordered_map &other) : unordered_map() {
    reserve(other.size());
    for (const auto &[key, value] : other) try_emplace(key, value);
  }
  unordered_map(unordered_map &&other) : unordered_map() { swap(other); }
  unordered_map &operator=(unordered_map other) noexcept {
    swap(other);
    return *this;
  }
  void swap(unordered_map &other) noexcept {
    std::swap(chains_, other.chains_);
    std::swap(heap_, other.heap_);
  }
  ~unordered_map() { clear(); }

  size_type size() const { return heap_.nodes(); }
  bool empty() const { return size() == 0; }
  iterator begin() { return {this, first_from(0)}; }
  iterator end() { return {this, move::kNoCell}; }
  const_iterator begin() const { return {this, first_from(0)}; }
  const_iterator end() const { return {this, move::kNoCell}; }

  iterator find(const Key &key) { return {this, lookup(key, hash_of(key))}; }
  const_iterator find(const Key &key) const { return {this, lookup(key, hash_of(key))}; }
  bool contains(const Key &key) const { return move::found(lookup(key, hash_of(key))); }
  size_type count(const Key &key) const { return contains(key) ? 1 : 0; }

  template <typename... Args>
  std::pair<iterator, bool> try_emplace(const Key &key, Args &&...args) {
    const std::uint32_t hash = hash_of(key);
    if (const CellId node = lookup(key, hash); move::found(node)) return {{this, node}, false};
    if (size() >= chains_.size()) grow(chains_.size() * 2);
    CellId &chain = chains_[slot(hash)];
    const CellId cell = allocate(chain);
    try {
      ::new (static_cast<void *>(heap_[cell].value))
          Value(std::piecewise_construct, std::forward_as_tuple(key),
                std::forward_as_tuple(std::forward<Args>(args)...));
    } catch (...) {
      heap_.free(cell);
      throw;
    }
    heap_[cell].next = chain;
    heap_[cell].hash = hash;
    chain = cell;
    return {{this, cell}, true};
  }
  std::pair<iterator, bool> insert(const Value &value) {
    return try_emplace(value.first, value.second);
  }
  T &operator[](const Key &key) { return try_emplace(key).first->second; }
  T &at(const Key &key) {
    const iterator found = find(key);
    if (found == end()) throw std::out_of_range("abut::unordered_map::at: no such key");
    return found->second;
  }

  size_type erase(const Key &key) {
    const std::uint32_t hash = hash_of(key);
    for (CellId *link = &chains_[slot(hash)]; move::found(*link); link = &heap_[*link].next) {
      const CellId cell = *link;
      if (heap_[cell].hash != hash || !Equal{}(heap_[cell].get().first, key)) continue;
      *link = heap_[cell].next;
      destroy(cell);
      return 1;
    }
    return 0;
  }
  // The element after the erased one.
  iterator erase(const_iterator position) {
    const CellId cell = position.cell_;
    const iterator next = std::next(iterator(this, cell));
    CellId *link = &chains_[slot(heap_[cell].hash)];
    while (*link != cell) link = &heap_[*link].next;
    *link = heap_[cell].next;
    destroy(cell);
    return next;
  }
  void clear() noexcept {
    for (CellId &chain : chains_) {
      while (move::found(chain)) {
        const CellId cell = chain;
        chain = heap_[cell].next;
        destroy(cell);
      }
    }
  }
  void reserve(size_type elements) {
    if (elements > chains_.size()) grow(std::bit_ceil(elements));
  }
  // Lays the chains end to end, in the table's order.
  void relayout() {
    move::relayout<Links>(heap_, chains_.data(), static_cast<std::uint32_t>(chains_.size()));
    heap_.trim();
  }

  move::Handle handle(const_iterator position) { return heap_.handles.of(position.cell_); }
  // The element; end() if it has been erased.
  iterator find(move::Handle handle) { return {this, heap_.handles.cell(handle)}; }

private:
  void destroy(CellId cell) noexcept {
    heap_.handles.gone(cell);
    heap_[cell].get().~Value();
    heap_.free(cell);
  }
  // Mixed, for many a std::hash is the number itself.
  static std::uint32_t hash_of(const Key &key) {
    return static_cast<std::uint32_t>((Hash{}(key)*0x9e3779b97f4a7c15u) >> 32);
  }
  std::size_t slot(std::uint32_t hash) const { return hash & (chains_.size() - 1); }

  CellId lookup(const Key &key, std::uint32_t hash) const {
    CellId node = chains_[slot(hash)];
    while (move::found(node) &&
           (heap_[node].hash != hash || !Equal{}(heap_[node].get().first, key)))
      node = heap_[node].next;
    return node;
  }
  CellId first_from(std::size_t slot) const {
    for (; slot < chains_.size(); ++slot)
      if (move::found(chains_[slot])) return chains_[slot];
    return move::kNoCell;
  }
  CellId allocate(CellId hint) {
    using Anywhere = move::Emptiest<move::Level::line, move::Level::heap>;
    CellId cell = move::found(hint) ? heap_.take(Heap::Numbers::line_of(hint)) : move::kNoCell;
    if (!move::found(cell)) cell = heap_.take(heap_.find(Anywhere{}));
    return cell;
  }
  void grow(std::size_t chains) {
    std::vector<CellId> old(chains, move::kNoCell);
    std::swap(old, chains_);
    for (CellId node : old) {
      while (move::found(node)) {
        const CellId next = heap_[node].next;
        CellId &chain = chains_[slot(heap_[node].hash)];
        heap_[node].next = chain;
        chain = node;
        node = next;
      }
    }
    if constexpr (Layout.moves) relayout();
  }

  std::vector<CellId> chains_;
  Heap heap_;
};

} // namespace abut
