// The nodes of a hash table's chains: what adcock::unordered_map (unordered_map.hpp) is made of.
#pragma once

#include "../handles.hpp"
#include "../relayout.hpp"
#include "container.hpp"
#include "node_handle.hpp"

#include <iterator>

namespace adcock::move {

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

template <typename Node, typename Memory>
struct ChainPool
    : RdsHeap<Node, Geometry{}, Emptiest<Level::line, Level::heap>::needs(), ReserveOf<Memory>> {
  using Heap =
      RdsHeap<Node, Geometry{}, Emptiest<Level::line, Level::heap>::needs(), ReserveOf<Memory>>;
  explicit ChainPool(const Memory &memory)
      : Heap(Heap::kMostCells, ReserveChoice<Memory>::make(memory)) {}
  HandleTable handles;
};

template <typename Key, typename Value>
struct ChainLinks : IndexLinks<&ChainNode<Key, Value>::next> {
  template <typename Heap>
  static void relocate(Heap &heap, CellId from, CellId to) noexcept {
    static_assert(kMovesSafely<Value>, "a move must not fail half way");
    auto &old = heap[from];
    heap[to].next = old.next;
    heap[to].hash = old.hash;
    move_element(old.get(), heap[to].value);
    heap.handles.moved(from, to);
  }
};

template <typename Map, typename Value, bool Const>
class ChainIterator {
public:
  // NOLINTBEGIN(readability-identifier-naming): the standard's names
  using iterator_category = std::forward_iterator_tag;
  using value_type = Value;
  using difference_type = std::ptrdiff_t;
  using pointer = std::conditional_t<Const, const Value *, Value *>;
  using reference = std::conditional_t<Const, const Value &, Value &>;
  // NOLINTEND(readability-identifier-naming)

  ChainIterator() = default;
  operator ChainIterator<Map, Value, true>() const requires(!Const) { return {owner_, cell_}; }
  reference operator*() const { return owner_->heap_[cell_].get(); }
  pointer operator->() const { return &**this; }
  ChainIterator &operator++() {
    const auto &node = owner_->heap_[cell_];
    cell_ = found(node.next) ? node.next : owner_->first_from(owner_->slot(node.hash) + 1);
    return *this;
  }
  ChainIterator operator++(int) {
    const ChainIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const ChainIterator &other) const { return cell_ == other.cell_; }

private:
  friend Map;
  template <typename, typename, bool>
  friend class ChainIterator;
  using Owner = std::conditional_t<Const, const Map, Map>;
  ChainIterator(Owner *owner, CellId cell) : owner_(owner), cell_(cell) {}
  Owner *owner_ = nullptr;
  CellId cell_ = kNoCell;
};

} // namespace adcock::move
