// Memory for the nodes of a program's own structure, in chunks of lines, which `abut::relayout` lays out again.
#pragma once

#include "detail/config.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace abut::detail {

// Nodes of a cluster fill a line, or a pair of lines where fewer than three fit into one: processors fetch pairs.
template <typename Node>
struct Clusters {
  static constexpr std::size_t kLine = 64;
  static constexpr std::size_t kBytes = kLine / sizeof(Node) >= 3 ? kLine : 2 * kLine;
  static constexpr std::size_t kNodes = std::max<std::size_t>(1, kBytes / sizeof(Node));
  // From one cluster to the next.
  static constexpr std::size_t kStride = kNodes == 1 ? sizeof(Node) : kBytes;
};

} // namespace abut::detail

namespace abut {

// NOLINTBEGIN(readability-identifier-naming): the containers' manner

// Makes and destroys nodes of one type. A chunk whose nodes are all gone goes back. What is left at the end is not
// destroyed, only its memory freed.
template <typename Node>
class node_arena {
  using Clusters = detail::Clusters<Node>;
  static constexpr std::size_t kChunk =
      std::max<std::size_t>(std::size_t{64} << 10, std::bit_ceil(sizeof(Node) * 16));
  struct Chunk {
    Chunk *next;
    Chunk *previous;
    Node *free; // linked through their first bytes
    std::uint32_t used;
    std::uint32_t live;
  };
  static constexpr std::size_t kAlignment = std::max(Clusters::kLine * 2, alignof(Node));
  static constexpr std::size_t kFirst = (sizeof(Chunk) + kAlignment - 1) / kAlignment * kAlignment;
  static constexpr std::size_t kCells = (kChunk - kFirst) / Clusters::kStride * Clusters::kNodes;
  static_assert(sizeof(Node) >= sizeof(void *), "a node has a link at least");
  static_assert(kCells >= 1);

public:
  node_arena() = default;
  node_arena(const node_arena &) = delete;
  node_arena &operator=(const node_arena &) = delete;
  ~node_arena() {
    for (Chunk *chunk = chunks_; chunk != nullptr;) free_chunk(std::exchange(chunk, chunk->next));
  }

  template <typename... Args>
  Node *make(Args &&...args) {
    Node *node = take();
    detail::OnExit undo([&] { release(node); });
    ::new (static_cast<void *>(node)) Node{std::forward<Args>(args)...};
    undo.dismiss();
    return node;
  }
  void destroy(Node *node) noexcept {
    node->~Node();
    release(node);
  }
  std::size_t size() const noexcept { return live_; }
  std::size_t bytes() const noexcept { return chunk_count_ * kChunk; }

  // For `relayout`. A cell that was never used, in the order of addresses within a chunk; raw memory.
  Node *next_fresh() {
    if (fresh_ == nullptr || fresh_->used == kCells) fresh_ = add_chunk();
    ++fresh_->live;
    ++live_;
    return cell(fresh_, fresh_->used++);
  }
  // So many, all or none; the nodes of a cluster lie in one line or pair of lines.
  std::vector<Node *> fresh(std::size_t count, std::span<const std::uint32_t> cluster_ends) {
    std::vector<Node *> cells;
    cells.reserve(count);
    detail::OnExit undo([&] {
      for (Node *node : cells) release(node);
    });
    fresh_ = nullptr; // behind what is there already
    std::size_t cluster = 0;
    std::size_t begin = 0;
    while (cells.size() < count) {
      if (cluster < cluster_ends.size() && cells.size() == begin) {
        const std::size_t end = cluster_ends[cluster++];
        begin_cluster(end - begin);
        begin = end;
      }
      cells.push_back(next_fresh());
    }
    undo.dismiss();
    return cells;
  }
  // The next fresh cells share a line, or a pair, if they are so many.
  void begin_cluster(std::size_t nodes = Clusters::kNodes) noexcept {
    if (fresh_ == nullptr) return;
    const std::size_t in_line = fresh_->used % Clusters::kNodes;
    if (in_line + nodes <= Clusters::kNodes || in_line == 0) return;
    while (fresh_->used % Clusters::kNodes != 0) put_free(fresh_, cell(fresh_, fresh_->used++));
  }
  // A cell whose node is gone.
  void release(Node *node) noexcept {
    Chunk *chunk = chunk_of(node);
    put_free(chunk, node);
    --live_;
    if (--chunk->live > 0) return;
    if (chunk == fresh_) fresh_ = nullptr;
    if (chunk == open_) open_ = nullptr;
    (chunk->previous == nullptr ? chunks_ : chunk->previous->next) = chunk->next;
    if (chunk->next != nullptr) chunk->next->previous = chunk->previous;
    free_chunk(chunk);
    --chunk_count_;
  }

private:
  static Node *cell(Chunk *chunk, std::size_t i) noexcept {
    const std::size_t offset =
        i / Clusters::kNodes * Clusters::kStride + i % Clusters::kNodes * sizeof(Node);
    return reinterpret_cast<Node *>(reinterpret_cast<std::byte *>(chunk) + kFirst + offset);
  }
  static Chunk *chunk_of(Node *node) noexcept {
    return reinterpret_cast<Chunk *>(reinterpret_cast<std::uintptr_t>(node) & ~(kChunk - 1));
  }
  static void put_free(Chunk *chunk, Node *node) noexcept {
    *reinterpret_cast<Node **>(node) = std::exchange(chunk->free, node);
  }
  Node *take() {
    if (open_ == nullptr || (open_->free == nullptr && open_->used == kCells)) open_ = next_open();
    ++open_->live;
    ++live_;
    if (open_->free != nullptr)
      return std::exchange(open_->free, *reinterpret_cast<Node **>(open_->free));
    return cell(open_, open_->used++);
  }
  // A chunk with room among a few, in turn, else a new one.
  Chunk *next_open() {
    constexpr unsigned kLooks = 4;
    for (unsigned i = 0; i < kLooks; ++i) {
      look_ = look_ == nullptr ? chunks_ : look_->next;
      if (look_ == nullptr) break;
      if (look_->free != nullptr || look_->used < kCells) return look_;
    }
    return add_chunk();
  }
  Chunk *add_chunk() {
    auto *chunk = ::new (::operator new (kChunk, std::align_val_t{kChunk})) Chunk{};
    chunk->next = chunks_;
    if (chunks_ != nullptr) chunks_->previous = chunk;
    chunks_ = chunk;
    ++chunk_count_;
    return chunk;
  }
  void free_chunk(Chunk *chunk) noexcept {
    if (chunk == look_) look_ = chunk->next;
    ::operator delete (static_cast<void *>(chunk), std::align_val_t{kChunk});
  }

  Chunk *chunks_ = nullptr;
  Chunk *open_ = nullptr;  // where new nodes go
  Chunk *fresh_ = nullptr; // where nodes that are laid out go
  Chunk *look_ = nullptr;
  std::size_t live_ = 0;
  std::size_t chunk_count_ = 0;
};
// NOLINTEND(readability-identifier-naming)

} // namespace abut
