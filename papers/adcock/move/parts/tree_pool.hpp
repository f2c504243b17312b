// The nodes of balanced search trees. What a look-up reads of a node, its links and a short key, is a cell of the heap;
// what it does not read, the value, lies beside, in an array by cell (hot and cold parts: Adcock 2009, 2.2.5).
#pragma once

#include "../handles.hpp"
#include "../links.hpp"
#include "container.hpp"

#include <concepts>

namespace adcock::move {

// How the nodes of a map or set are laid out.
struct TreeLayout {
  // False: no node moves unless asked to; pointers and iterators stay good as std::map's do.
  bool moves = true;
  std::uint32_t line_bytes = 64;
  // How many cells there may be for 100 nodes before lines that are not empty are used, too: the m of Adcock's.
  std::uint32_t percent = 150;
};

// The hot part of a node. The links' highest bits say which side is higher by one.
struct HotLinks {
  std::uint32_t link[2];
};

template <typename Key, typename Value>
inline constexpr bool kSplitsNode = std::is_trivially_copyable_v<Key> && sizeof(Key) <= 8 &&
                                    !std::same_as<Key, Value>;

template <typename Key, typename Value, bool Split = kSplitsNode<Key, Value>>
struct TreeNode : HotLinks {
  Key key;
};
template <typename Key, typename Value>
struct TreeNode<Key, Value, false> : HotLinks {
  alignas(Value) std::byte value[sizeof(Value)];
};

template <typename Key, typename Value, typename KeyOf, TreeLayout Layout, Needs What,
          typename Memory = PageMemory>
class TreePool : public RdsHeap<TreeNode<Key, Value>, Geometry{Layout.line_bytes, 4096}, What,
                                ReserveOf<Memory>> {
  static constexpr bool kSplit = kSplitsNode<Key, Value>;
  using Node = TreeNode<Key, Value>;
  using Heap = RdsHeap<Node, Geometry{Layout.line_bytes, 4096}, What, ReserveOf<Memory>>;
  struct Cold {
    alignas(Value) std::byte value[sizeof(Value)];
  };

public:
  static constexpr bool kMovable = kMovesSafely<Value>;

  explicit TreePool(const Memory &memory = Memory())
      : Heap(Heap::kMostCells, ReserveChoice<Memory>::make(memory)),
        cold_(ReserveChoice<Memory>::make(memory)) {}
  Memory memory() const { return ReserveChoice<Memory>::memory(this->reserve()); }

  // As the heap does it; whatever cell is found then, there is room for its value. Throws what the memory throws.
  template <typename... Args>
  auto find(Args... args) {
    const auto found = Heap::find(args...);
    make_room();
    return found;
  }
  PageId grow() {
    const PageId page = Heap::grow();
    make_room();
    return page;
  }
  // For every value that there could be in the heap's pages.
  void make_room() {
    if constexpr (kSplit) {
      if (roomy_pages_ == this->pages()) return;
      cold_.grow_to(std::size_t{this->pages()} * Heap::Numbers::kLinesPerPage
                        << Heap::Numbers::kCellBits,
                    Heap::kMostCells * 2);
      roomy_pages_ = this->pages();
    }
  }

  HandleTable handles;
  // A node that an update follows, wherever it moves.
  CellId watched = kNoCell;

  Value &value(CellId cell) {
    if constexpr (kSplit) {
      return *std::launder(reinterpret_cast<Value *>(cold_[number(cell)].value));
    } else {
      return *std::launder(reinterpret_cast<Value *>((*this)[cell].value));
    }
  }
  const Value &value(CellId cell) const { return const_cast<TreePool *>(this)->value(cell); }
  decltype(auto) key(CellId cell) const {
    if constexpr (kSplit)
      return ((*this)[cell].key);
    else
      return KeyOf{}(value(cell));
  }

  // Makes a node without links in a cell that is in use.
  template <typename... Args>
  void construct(CellId cell, Args &&...args) {
    Node &node = (*this)[cell];
    node.link[0] = node.link[1] = 0;
    ::new (static_cast<void *>(&value(cell))) Value(std::forward<Args>(args)...);
    if constexpr (kSplit) node.key = KeyOf{}(value(cell));
  }
  void destroy(CellId cell) noexcept {
    handles.gone(cell);
    value(cell).~Value();
    this->free(cell);
  }
  void relocate_node(CellId from, CellId to) noexcept {
    if constexpr (kSplit) {
      (*this)[to] = (*this)[from];
    } else {
      static_cast<HotLinks &>((*this)[to]) = (*this)[from];
    }
    Value &old = value(from);
    if constexpr (std::is_trivially_copyable_v<Value>) {
      std::memcpy(static_cast<void *>(&value(to)), &old, sizeof(Value));
    } else {
      move_element(old, &value(to));
    }
    handles.moved(from, to);
    if (from == watched) watched = to;
  }

private:
  std::conditional_t<kSplit, ReserveArray<Cold, ReserveOf<Memory>>, NoArray> cold_;
  std::uint32_t roomy_pages_ = 0;
};

struct TreeLinks {
  static constexpr unsigned kLinks = 2;
  static constexpr std::uint32_t kHigher = 0x80000000u;

  template <typename Pool>
  static CellId get(const Pool &pool, CellId node, unsigned which) {
    return CellId{pool[node].link[which] & ~kHigher};
  }
  template <typename Pool>
  static void set(Pool &pool, CellId node, unsigned which, CellId to) {
    std::uint32_t &link = pool[node].link[which];
    link = (link & kHigher) | number(to);
  }
  template <typename Pool>
  static void relocate(Pool &pool, CellId from, CellId to) {
    pool.relocate_node(from, to);
  }
  // How much higher the right side is: -1, 0 or 1.
  template <typename Pool>
  static int balance(const Pool &pool, CellId node) {
    const auto &link = pool[node].link;
    return static_cast<int>(link[1] >> 31) - static_cast<int>(link[0] >> 31);
  }
  template <typename Pool>
  static void set_balance(Pool &pool, CellId node, int balance) {
    auto &link = pool[node].link;
    link[0] = (link[0] & ~kHigher) | (balance < 0 ? kHigher : 0);
    link[1] = (link[1] & ~kHigher) | (balance > 0 ? kHigher : 0);
  }
};

} // namespace adcock::move
