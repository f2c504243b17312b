// Lays out a program's own linked structure: trees, lists, graphs without a copy of a node, in the order in which they are
// visited. All pointers that the program names are mended.
//
//   struct Node { Node *left, *right, *parent; int key; };
//   using Links = abut::links<abut::owns<&Node::left, &Node::right>, abut::refers<&Node::parent>>;
//
//   abut::relayout<Links>(root);                          // nodes change places among the blocks that they have
//   abut::relayout<Links>(arena, root, abut::node_order::line_clusters);  // nodes move to fresh memory of the arena
//   abut::incremental_relayout<Node, Links> pass(arena, root);            // the same, some nodes at a time
#pragma once

#include "detail/arrange.hpp"
#include "detail/config.hpp"
#include "node_arena.hpp"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <span>
#include <type_traits>

namespace abut {

// NOLINTBEGIN(readability-identifier-naming): the containers' manner
enum class node_order : std::uint8_t {
  depth_first,   // a node, then all below its first link, and so on: for walks
  breadth_first, // level by level
  van_emde_boas, // halves of the levels, recursively: for searches, whatever the sizes of lines and pages
  line_clusters, // a node with its next descendants on a line or a pair of lines: for searches
};

// Members that are pointers to nodes, or arrays of such.
template <auto... Members>
struct owns {};
template <auto... Members>
struct refers {};

namespace detail {
template <typename Node, typename Use>
void each_link(Node *&link, Use &use) {
  use(link);
}
template <typename Node, std::size_t N, typename Use>
void each_link(Node *(&links)[N], Use &use) {
  for (Node *&link : links) use(link);
}
} // namespace detail

// Which pointers a node has: those that lead to what belongs to the structure, and others that lead to nodes of it, which
// are mended. A struct of the program's own with these two functions does as well.
template <typename Owned, typename Other = refers<>>
struct links;
template <auto... Owned, auto... Other>
struct links<owns<Owned...>, refers<Other...>> {
  template <typename Node, typename Use>
  static void owned([[maybe_unused]] Node &node, [[maybe_unused]] Use use) {
    (detail::each_link(node.*Owned, use), ...);
  }
  template <typename Node, typename Use>
  static void others([[maybe_unused]] Node &node, [[maybe_unused]] Use use) {
    (detail::each_link(node.*Other, use), ...);
  }
};

namespace detail {

template <typename Links, typename Node>
Arrangement<Node, Links> arrange(std::span<Node **const> roots, node_order order,
                                 std::size_t cluster) {
  Arrangement<Node, Links> arranged;
  for (Node **root : roots) {
    if (*root == nullptr) continue;
    switch (order) {
    case node_order::depth_first: arranged.depth_first(*root); break;
    case node_order::breadth_first: arranged.breadth_first(*root); break;
    case node_order::van_emde_boas: arranged.van_emde_boas(*root); break;
    case node_order::line_clusters: arranged.clusters(*root, cluster); break;
    }
  }
  return arranged;
}

template <typename Node>
void move_node(void *to, Node *from) noexcept {
  if constexpr (std::is_trivially_copyable_v<Node>) {
    std::memcpy(to, static_cast<const void *>(from), sizeof(Node));
  } else {
    static_assert(std::is_nothrow_move_constructible_v<Node>, "a move must not fail half way");
    ::new (to) Node(std::move(*from));
    from->~Node();
  }
}

// All pointers to nodes that have moved: in the nodes, and the roots.
template <typename Links, typename Node>
void mend(const AddressMap<Node> &numbers, std::span<Node *const> places,
          std::span<Node **const> roots) noexcept {
  const auto mend_one = [&](Node *&link) {
    const std::uint32_t number = numbers.find(link);
    if (number != AddressMap<Node>::kNone) link = places[number];
  };
  for (Node *place : places) {
    Links::owned(*place, mend_one);
    Links::others(*place, mend_one);
  }
  // A root may be named twice, and its new address be the old one of another node.
  for (auto root = roots.begin(); root != roots.end(); ++root)
    if (std::find(roots.begin(), root, *root) == root) mend_one(**root);
}

} // namespace detail

// Nodes change places among the blocks that they have, whichever allocator these are from: who frees nodes does it as
// before. `roots` are all pointers from outside that lead into the structure; the order begins with what the first
// reaches. Takes the memory of the nodes once more for the time of it. Returns how many nodes there are. Throws
// std::bad_alloc before anything has changed.
template <typename Links, typename Node>
std::size_t relayout(std::initializer_list<Node **> roots,
                     node_order order = node_order::depth_first) {
  const std::span<Node **const> all(roots.begin(), roots.size());
  const auto arranged = detail::arrange<Links, Node>(all, order, detail::Clusters<Node>::kNodes);
  std::vector<Node *> places = arranged.nodes;
  std::sort(places.begin(), places.end());
  struct Room {
    alignas(Node) std::byte bytes[sizeof(Node)];
  };
  std::vector<Room> room(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i + 8 < places.size()) __builtin_prefetch(arranged.nodes[i + 8]);
    detail::move_node(room[i].bytes, arranged.nodes[i]);
  }
  for (std::size_t i = 0; i < places.size(); ++i)
    detail::move_node(places[i], std::launder(reinterpret_cast<Node *>(room[i].bytes)));
  detail::mend<Links, Node>(arranged.numbers, places, all);
  return places.size();
}
template <typename Links, typename Node>
std::size_t relayout(Node *&root, node_order order = node_order::depth_first) {
  return relayout<Links>({&root}, order);
}

// Nodes move into fresh memory of the arena that they are from, where they lie without gaps and clusters fill lines.
// Memory that is left without nodes goes back.
template <typename Links, typename Node>
std::size_t relayout(node_arena<Node> &arena, std::initializer_list<Node **> roots,
                     node_order order = node_order::depth_first) {
  const std::span<Node **const> all(roots.begin(), roots.size());
  const auto arranged = detail::arrange<Links, Node>(all, order, detail::Clusters<Node>::kNodes);
  std::vector<Node *> places = arena.fresh(arranged.nodes.size(), arranged.cluster_ends);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i + 8 < places.size()) __builtin_prefetch(arranged.nodes[i + 8]);
    detail::move_node(places[i], arranged.nodes[i]);
  }
  detail::mend<Links, Node>(arranged.numbers, places, all);
  for (Node *old : arranged.nodes) arena.release(old);
  return places.size();
}
template <typename Links, typename Node>
std::size_t relayout(node_arena<Node> &arena, Node *&root,
                     node_order order = node_order::depth_first) {
  return relayout<Links>(arena, {&root}, order);
}

// Lays a tree or list out while the program works on it: each `step` moves so many nodes at most, depth-first or in clusters
// of lines. Between two steps the structure may change in any way; call `forget` before a node is destroyed.
// Each node has one owner; besides, only nodes that it owns may refer to a node, and those that `Links::referrers`
// names, if there is such a function.
template <typename Node, typename Links>
class incremental_relayout {
public:
  incremental_relayout(node_arena<Node> &arena, Node *&root,
                       node_order order = node_order::depth_first)
      : arena_(arena),
        cluster_(order == node_order::line_clusters ? detail::Clusters<Node>::kNodes : 1) {
    waiting_.push_back(&root);
    queue_.reserve(1);
  }

  // True once all is laid out.
  bool done() const noexcept { return waiting_.empty(); }
  // Moves `most` nodes or a few more, to fill a cluster. Returns how many it moved. After std::bad_alloc it can be called
  // again, and goes on.
  std::size_t step(std::size_t most) {
    std::size_t moved = 0;
    while (moved < most && !done()) {
      Node **place = waiting_.back();
      waiting_.pop_back();
      if (*place == nullptr) continue;
      if (cluster_ > 1) arena_.begin_cluster();
      queue_.assign(1, place);
      std::size_t next = 0;
      const detail::OnExit wait([&] { // with what is left, for which there is room
        waiting_.insert(waiting_.end(), queue_.rbegin(),
                        queue_.rend() - static_cast<std::ptrdiff_t>(next));
      });
      for (; next < queue_.size() && next < cluster_; ++next, ++moved) {
        make_room(**queue_[next]);
        move(queue_[next]);
        Links::owned(**queue_[next], [&](Node *&link) {
          if (link != nullptr) queue_.push_back(&link);
        });
      }
    }
    return moved;
  }
  void forget(const Node *node) noexcept {
    const auto *from = reinterpret_cast<const std::byte *>(node);
    std::erase_if(waiting_, [&](Node **place) {
      const auto *at = reinterpret_cast<const std::byte *>(place);
      return at >= from && at < from + sizeof(Node);
    });
  }

private:
  // For the links of a node, before anything of it changes.
  void make_room(Node &node) {
    std::size_t most = waiting_.size() + queue_.size();
    Links::owned(node, [&](Node *&) { ++most; });
    for (std::vector<Node **> *places : {&waiting_, &queue_})
      if (places->capacity() < most) places->reserve(2 * most);
  }
  void move(Node **place) {
    Node *const old = *place;
    Node *const node = arena_.next_fresh();
    detail::move_node(node, old);
    *place = node;
    const auto mend = [&](Node *&link) {
      if (link == old) link = node;
    };
    Links::owned(*node, [&](Node *&child) {
      if (child != nullptr) Links::others(*child, mend);
    });
    if constexpr (requires { Links::referrers(*node, mend); }) Links::referrers(*node, mend);
    forget(old); // after a change of the structure it may have been laid out before
    arena_.release(old);
  }

  node_arena<Node> &arena_;
  std::size_t cluster_;
  std::vector<Node **> waiting_; // links of nodes that lie where they are to
  std::vector<Node **> queue_;
};
// NOLINTEND(readability-identifier-naming)

} // namespace abut
