// A hash table of chains: what lies under adcock::unordered_map. A node lies in the line of its chain's first, if there is
// room; whenever the table grows, all chains are laid out again in the order of the table.
#pragma once

#include "chains.hpp"

#include <functional>

namespace adcock::move {

template <typename Key, typename T, typename Hash, typename Equal, ChainLayout Layout,
          typename Memory>
class ChainTable {
protected:
  using Value = std::pair<const Key, T>;
  using Node = ChainNode<Key, Value>;
  using Links = ChainLinks<Key, Value>;
  using Heap = ChainPool<Node, Memory>;
  using Chains = VectorOf<Memory, CellId>;

  explicit ChainTable(const Memory &memory)
      : chains_(Chains::make(16, kNoCell, memory)), heap_(memory) {
    heap_.bound_ratio(Layout.percent / 100.0);
  }
  Memory memory() const { return ReserveChoice<Memory>::memory(heap_.reserve()); }
  void swap(ChainTable &other) noexcept {
    auto chains = std::move(chains_);
    replace(chains_, std::move(other.chains_));
    replace(other.chains_, std::move(chains));
    std::swap(heap_, other.heap_);
  }
  // Lays the chains end to end, in the table's order.
  void relayout() {
    adcock::move::relayout<Links>(heap_, chains_.data(),
                                  static_cast<std::uint32_t>(chains_.size()));
    heap_.trim();
  }

  // The element of a key, made of the arguments if there is none; and whether it was.
  template <typename... Args>
  std::pair<CellId, bool> add(const Key &key, Args &&...args) {
    const std::uint32_t hash = hash_of(key);
    if (const CellId node = lookup(key, hash); found(node)) return {node, false};
    if (heap_.nodes() >= chains_.size()) grow(chains_.size() * 2);
    CellId &chain = chains_[slot(hash)];
    const CellId cell = allocate(chain);
    try {
      ::new (static_cast<void *>(heap_[cell].value)) Value(std::forward<Args>(args)...);
    } catch (...) {
      heap_.free(cell);
      throw;
    }
    heap_[cell].next = chain;
    heap_[cell].hash = hash;
    chain = cell;
    return {cell, true};
  }
  // Erases an element after `use` has seen it.
  template <typename Use>
  void take_out(CellId cell, Use use) {
    CellId *link = &chains_[slot(heap_[cell].hash)];
    while (*link != cell) link = &heap_[*link].next;
    *link = heap_[cell].next;
    use(heap_[cell].get());
    destroy(cell);
  }
  void clear() noexcept {
    for (CellId &chain : chains_) {
      while (found(chain)) {
        const CellId cell = chain;
        chain = heap_[cell].next;
        destroy(cell);
      }
    }
  }
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
    while (found(node) && (heap_[node].hash != hash || !Equal{}(heap_[node].get().first, key)))
      node = heap_[node].next;
    return node;
  }
  CellId first_from(std::size_t slot) const {
    for (; slot < chains_.size(); ++slot)
      if (found(chains_[slot])) return chains_[slot];
    return kNoCell;
  }
  CellId allocate(CellId hint) {
    using Anywhere = Emptiest<Level::line, Level::heap>;
    CellId cell = found(hint) ? heap_.take(Heap::Numbers::line_of(hint)) : kNoCell;
    if (!found(cell)) cell = heap_.take(heap_.find(Anywhere{}));
    return cell;
  }
  void grow(std::size_t chains) {
    auto old = Chains::make(chains, kNoCell, memory());
    std::swap(old, chains_);
    for (CellId node : old) {
      while (found(node)) {
        const CellId next = heap_[node].next;
        CellId &chain = chains_[slot(heap_[node].hash)];
        heap_[node].next = chain;
        chain = node;
        node = next;
      }
    }
    if constexpr (Layout.moves) {
      try {
        relayout();
      } catch (const std::bad_alloc &) { // NOLINT(bugprone-empty-catch)
        // Where there is no memory to move nodes to, they stay.
      }
    }
  }

  typename Chains::Type chains_;
  Heap heap_;
};

} // namespace adcock::move
