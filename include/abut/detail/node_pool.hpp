// Memory for the nodes of one container: chunks that grow with it, so that nodes lie in the order in which they are born.
#pragma once

#include "memory.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

namespace abut::detail {

// A node's links. A node that is not in use has no next, and its `previous` is the next that is not in use.
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

template <typename T>
struct LinkedNode : Link {
  alignas(T) std::byte raw[sizeof(T)];
  T &value() noexcept { return *std::launder(reinterpret_cast<T *>(raw)); }
};

// The values that nodes hold are the container's business.
template <typename Node>
class NodePool {
  struct Chunk {
    Chunk *next;
    std::uint32_t used;
    std::uint32_t capacity;
  };
  static constexpr std::size_t kAlignment = std::max(alignof(Node), alignof(Chunk));
  static constexpr std::size_t kFirst =
      (sizeof(Chunk) + alignof(Node) - 1) / alignof(Node) * alignof(Node);
  static constexpr std::size_t kMostBytes = std::size_t{64} << 10;
  static constexpr std::size_t kMost =
      std::max<std::size_t>(1, (kMostBytes - kFirst) / sizeof(Node));
  // What a small container has too many nodes of must not cost more than nodes one by one would.
  static constexpr std::size_t kFewest = std::clamp<std::size_t>(144 / sizeof(Node), 1, 5);

public:
  NodePool() = default;
  NodePool(const NodePool &) = delete;
  NodePool &operator=(const NodePool &) = delete;

  // A node in raw memory, its links included. `live`: how many nodes are in use.
  template <typename Allocator>
  Node *take(const Allocator &allocator, std::size_t live) {
    if (free_ != nullptr) {
      Link *node = std::exchange(free_, free_->previous);
      return static_cast<Node *>(node);
    }
    if (chunks_ == nullptr || chunks_->used == chunks_->capacity)
      add_chunk(allocator, live == 0 ? 1 : std::clamp(live / 4, kFewest, kMost));
    return node_at(chunks_, chunks_->used++);
  }
  void give(Node *node) noexcept {
    node->next = nullptr;
    node->previous = std::exchange(free_, node);
  }
  // Moves to a fresh pool: `each` is called with `count` nodes in a row, in ascending order of their addresses within
  // chunks that were allocated before the first call, so that nothing fails once nodes move.
  template <typename Allocator, typename Each>
  void fill_in_order(const Allocator &allocator, std::size_t count, Each each) {
    for (std::size_t left = count; left > 0;) {
      const std::size_t some = std::min(left, kMost);
      add_chunk(allocator, some); // on failure the caller releases those that are there
      left -= some;
    }
    Chunk *turned = nullptr; // the first that was allocated comes first
    while (chunks_ != nullptr) {
      Chunk *chunk = std::exchange(chunks_, chunks_->next);
      chunk->next = std::exchange(turned, chunk);
    }
    chunks_ = turned;
    for (Chunk *chunk = chunks_; chunk != nullptr; chunk = chunk->next) {
      for (; chunk->used < chunk->capacity; ++chunk->used) each(node_at(chunk, chunk->used));
    }
  }
  // No node is in use.
  template <typename Allocator>
  void release(const Allocator &allocator) noexcept {
    while (chunks_ != nullptr) free_chunk(allocator, std::exchange(chunks_, chunks_->next));
    free_ = nullptr;
  }
  // The same, but the newest chunk stays for what comes.
  template <typename Allocator>
  void reset(const Allocator &allocator) noexcept {
    if (chunks_ == nullptr) return;
    Chunk *kept = std::exchange(chunks_, chunks_->next);
    release(allocator);
    kept->next = nullptr;
    kept->used = 0;
    chunks_ = kept;
  }
  // All chunks of another pool, with the nodes in them.
  void adopt(NodePool &other) noexcept {
    if (other.free_ != nullptr) {
      Link *last = other.free_;
      while (last->previous != nullptr) last = last->previous;
      last->previous = std::exchange(free_, std::exchange(other.free_, nullptr));
    }
    if (other.chunks_ == nullptr) return;
    Chunk *last = other.chunks_;
    while (last->next != nullptr) last = last->next;
    Chunk *first = std::exchange(other.chunks_, nullptr);
    if (chunks_ == nullptr) {
      chunks_ = first;
    } else {
      last->next = chunks_->next;
      chunks_->next = first;
    }
  }
  void swap(NodePool &other) noexcept {
    std::swap(chunks_, other.chunks_);
    std::swap(free_, other.free_);
  }

private:
  static Node *node_at(Chunk *chunk, std::size_t i) noexcept {
    return reinterpret_cast<Node *>(reinterpret_cast<std::byte *>(chunk) + kFirst +
                                    i * sizeof(Node));
  }
  template <typename Allocator>
  void add_chunk(const Allocator &allocator, std::size_t capacity) {
    void *memory = allocate_bytes<kAlignment>(allocator, kFirst + capacity * sizeof(Node));
    chunks_ = ::new (memory) Chunk{chunks_, 0, static_cast<std::uint32_t>(capacity)};
  }
  template <typename Allocator>
  static void free_chunk(const Allocator &allocator, Chunk *chunk) noexcept {
    deallocate_bytes<kAlignment>(allocator, chunk, kFirst + chunk->capacity * sizeof(Node));
  }

  Chunk *chunks_ = nullptr;
  Link *free_ = nullptr;
};

} // namespace abut::detail
