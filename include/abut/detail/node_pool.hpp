// Memory for the nodes of one container: chunks that grow with it, so that nodes lie in the order in which they are born.
#pragma once

#include "memory.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

namespace abut::detail {

// A node's links. A node that is not in use has no next.
struct Link {
  Link *next = nullptr;
  Link *previous = nullptr;

  void put_before(Link *place) noexcept {
    next = place;
    previous = place->previous;
    previous->next = this;
    place->previous = this;
  }
  void take_out() const noexcept {
    previous->next = next;
    next->previous = previous;
  }
};

// Links nodes one by one, into a list that they are all of.
class LinkAppender {
public:
  explicit LinkAppender(Link *ends) noexcept : ends_(ends), last_(ends) {}
  LinkAppender(const LinkAppender &) = delete;
  LinkAppender &operator=(const LinkAppender &) = delete;
  ~LinkAppender() {
    last_->next = ends_;
    ends_->previous = last_;
  }
  void append(Link *link) noexcept {
    last_->next = link;
    link->previous = last_;
    last_ = link;
  }

private:
  Link *ends_;
  Link *last_;
};

template <typename T>
struct LinkedNode : Link {
  alignas(T) std::byte raw[sizeof(T)];
  T &value() noexcept { return *std::launder(reinterpret_cast<T *>(raw)); }
};

// The values that nodes hold are the container's business.
template <typename Node>
class NodePool {
  // Nodes in a row that are not in use; `previous` is the next such row.
  struct Unused : Link {
    std::byte *end;
  };

  // Before the nodes lie the chunk's next and, where the bits that an address leaves have no room for it, its capacity.
  class Chunk {
  public:
    Chunk(Chunk *next, std::size_t capacity) noexcept : next_(capacity < kLarge ? capacity : 0) {
      set_next(next);
      if (capacity >= kLarge) ::new (static_cast<void *>(this + 1)) std::size_t(capacity);
    }
    static constexpr std::size_t first(std::size_t capacity) {
      const std::size_t words = capacity < kLarge ? sizeof(Chunk) : 2 * sizeof(Chunk);
      return (words + alignof(Node) - 1) / alignof(Node) * alignof(Node);
    }
    Chunk *next() const noexcept { return reinterpret_cast<Chunk *>(next_ & ~kBits); }
    void set_next(Chunk *next) noexcept {
      next_ = (next_ & kBits) | reinterpret_cast<std::uintptr_t>(next);
    }
    std::size_t capacity() const noexcept {
      const std::size_t few = next_ & kBits;
      return few > 0 ? few : *std::launder(reinterpret_cast<const std::size_t *>(this + 1));
    }
    std::size_t bytes() const noexcept { return first(capacity()) + capacity() * sizeof(Node); }
    std::byte *begin() noexcept { return reinterpret_cast<std::byte *>(this) + first(capacity()); }
    std::byte *end() noexcept { return reinterpret_cast<std::byte *>(this) + bytes(); }

  private:
    static constexpr std::size_t kLarge = alignof(std::uintptr_t);
    static constexpr std::uintptr_t kBits = kLarge - 1;
    std::uintptr_t next_;
  };
  static constexpr std::size_t kAlignment = std::max(alignof(Node), alignof(Chunk));
  static constexpr std::size_t kMostBytes = std::size_t{64} << 10;
  static constexpr std::size_t kMost =
      std::max<std::size_t>(1, (kMostBytes - Chunk::first(kMostBytes)) / sizeof(Node));
  // What a small container has too many nodes of must not cost more than nodes one by one would. The usual sizes fill a
  // heap's block beside its own word.
  static constexpr std::size_t kFewest = std::clamp<std::size_t>(112 / sizeof(Node), 1, 4);

public:
  NodePool() = default;
  NodePool(const NodePool &) = delete;
  NodePool &operator=(const NodePool &) = delete;

  // A node in raw memory, its links included; its next is not null from now on. `live`: how many nodes are in use.
  template <typename Allocator>
  Node *take(const Allocator &allocator, std::size_t live) {
    if (unused_ == nullptr)
      unused_ = all_of(add_chunk(allocator, live == 0 ? 1 : std::clamp(live / 4, kFewest, kMost)));
    Unused *node = unused_;
    std::byte *following = reinterpret_cast<std::byte *>(node) + sizeof(Node);
    unused_ = following == node->end ? static_cast<Unused *>(node->previous)
                                     : row(following, node->end, node->previous);
    node->next = node;
    return reinterpret_cast<Node *>(node);
  }
  void give(Node *node) noexcept {
    auto *begin = reinterpret_cast<std::byte *>(node);
    unused_ = row(begin, begin + sizeof(Node), unused_);
  }
  // Chunks for `count` nodes; on failure the caller releases those that are there.
  template <typename Allocator>
  void reserve(const Allocator &allocator, std::size_t count) {
    for (std::size_t left = count; left > 0;) {
      const std::size_t some = std::min(left, kMost);
      add_chunk(allocator, some);
      left -= some;
    }
  }
  // Calls `each` with `count` nodes in a row, in ascending order of their addresses within chunks, the oldest first. None is
  // in use, and there are as many.
  template <typename Each>
  void fill_in_order(std::size_t count, Each each) noexcept {
    unused_ = nullptr;
    turn();
    for (Chunk *chunk = chunks_; chunk != nullptr; chunk = chunk->next()) {
      std::byte *at = chunk->begin();
      for (; count > 0 && at != chunk->end(); at += sizeof(Node), --count)
        each(reinterpret_cast<Node *>(at));
      if (at != chunk->end()) unused_ = row(at, chunk->end(), unused_);
    }
    turn();
  }
  // No node is in use.
  template <typename Allocator>
  void release(const Allocator &allocator) noexcept {
    turn();
    while (chunks_ != nullptr) {
      Chunk *chunk = std::exchange(chunks_, chunks_->next());
      deallocate_bytes<kAlignment>(allocator, chunk, chunk->bytes());
    }
    unused_ = nullptr;
  }
  // The same, but the newest chunk stays for what comes.
  template <typename Allocator>
  void reset(const Allocator &allocator) noexcept {
    if (chunks_ == nullptr) return;
    Chunk *kept = std::exchange(chunks_, chunks_->next());
    release(allocator);
    kept->set_next(nullptr);
    chunks_ = kept;
    unused_ = all_of(kept);
  }
  // All chunks of another pool, with the nodes in them. The newest stays the first.
  void adopt(NodePool &other) noexcept {
    unused_ = joined(unused_, std::exchange(other.unused_, nullptr));
    chunks_ = joined(chunks_, std::exchange(other.chunks_, nullptr));
  }
  // Chunks without a node in use go back. Looks at all nodes.
  template <typename Allocator>
  void give_back_unused(const Allocator &allocator) noexcept {
    unused_ = nullptr;
    turn();
    for (Chunk *chunk = std::exchange(chunks_, nullptr); chunk != nullptr;) {
      Chunk *const next = chunk->next();
      if (next != nullptr && rows_in(chunk, [](std::byte *, std::byte *) {}) == chunk->capacity()) {
        deallocate_bytes<kAlignment>(allocator, chunk, chunk->bytes());
      } else {
        rows_in(chunk,
                [&](std::byte *begin, std::byte *end) { unused_ = row(begin, end, unused_); });
        chunk->set_next(chunks_);
        chunks_ = chunk;
      }
      chunk = next;
    }
  }
  void swap(NodePool &other) noexcept {
    std::swap(chunks_, other.chunks_);
    std::swap(unused_, other.unused_);
  }

private:
  void turn() noexcept {
    Chunk *turned = nullptr;
    while (chunks_ != nullptr) {
      Chunk *chunk = std::exchange(chunks_, chunks_->next());
      chunk->set_next(std::exchange(turned, chunk));
    }
    chunks_ = turned;
  }
  static Unused *row(std::byte *begin, std::byte *end, Link *next) noexcept {
    // Not in the class: elements may be incomplete there.
    static_assert(sizeof(Node) >= sizeof(Unused));
    return ::new (static_cast<void *>(begin)) Unused{{nullptr, next}, end};
  }
  // Calls `each` with the unused rows of a chunk, in order, neighbours as one; returns how many nodes they are.
  template <typename Each>
  static std::size_t rows_in(Chunk *chunk, Each each) noexcept {
    std::size_t nodes = 0;
    for (std::byte *at = chunk->begin(), *const end = chunk->end(); at != end;) {
      std::byte *begin = at;
      for (Link *link; at != end && (link = reinterpret_cast<Link *>(at))->next == nullptr;)
        at = static_cast<Unused *>(link)->end;
      nodes += static_cast<std::size_t>(at - begin) / sizeof(Node);
      if (at != begin)
        each(begin, at);
      else
        at += sizeof(Node);
    }
    return nodes;
  }
  // In time that the shorter one takes; the other follows its last, but the first of the first stays.
  template <typename Linked>
  static Linked *joined(Linked *one, Linked *other) noexcept {
    if (one == nullptr || other == nullptr) return one == nullptr ? other : one;
    Linked *one_last = one, *other_last = other;
    while (after(one_last) != nullptr && after(other_last) != nullptr) {
      one_last = after(one_last);
      other_last = after(other_last);
    }
    if (after(one_last) == nullptr) {
      put_after(one_last, other);
    } else {
      put_after(other_last, after(one));
      put_after(one, other);
    }
    return one;
  }
  static Unused *after(const Unused *row) noexcept { return static_cast<Unused *>(row->previous); }
  static Chunk *after(const Chunk *chunk) noexcept { return chunk->next(); }
  static void put_after(Unused *row, Unused *next) noexcept { row->previous = next; }
  static void put_after(Chunk *chunk, Chunk *next) noexcept { chunk->set_next(next); }
  static Unused *all_of(Chunk *chunk) noexcept {
    return row(chunk->begin(), chunk->end(), nullptr);
  }
  template <typename Allocator>
  Chunk *add_chunk(const Allocator &allocator, std::size_t capacity) {
    void *memory =
        allocate_bytes<kAlignment>(allocator, Chunk::first(capacity) + capacity * sizeof(Node));
    return chunks_ = ::new (memory) Chunk(chunks_, capacity);
  }

  Chunk *chunks_ = nullptr;
  Unused *unused_ = nullptr;
};

} // namespace abut::detail
