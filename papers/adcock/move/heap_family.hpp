// Heaps of cells for nodes of several sizes: one heap a size, the smallest that fits is taken (Adcock 2009, 7.5: differently
// sized objects in regions of their own, or padded to the next size).
#pragma once

#include "coallocator.hpp"
#include "rds_heap.hpp"

#include <algorithm>
#include <tuple>

namespace adcock::move {

// `Bytes` of storage, as a node that is copied byte by byte.
template <std::size_t Bytes>
struct RawNode {
  alignas(Bytes % 16 == 0 ? 16 : 8) std::byte bytes[Bytes];
};

// `Sizes` ascend; each is a multiple of 8.
template <Geometry Shape, std::size_t... Sizes>
class HeapFamily {
  static_assert(((Sizes % 8 == 0) && ...));

public:
  static constexpr Needs kNeeds = coallocators::EL::needs();
  template <std::size_t Bytes>
  using Heap = RdsHeap<RawNode<Bytes>, Shape, kNeeds>;
  static constexpr std::size_t kMostBytes = std::max({Sizes...});

  // The size of the cells that hold `bytes`; 0 if none do.
  static constexpr std::size_t size_for(std::size_t bytes) {
    std::size_t fit = 0;
    static_cast<void>(((bytes <= Sizes && (fit = Sizes) != 0) || ...));
    return fit;
  }

  // Room for `bytes`: in the line of `near`, which may be null or of another size, if there is room, else in the emptiest
  // line. Throws std::bad_alloc, also for what no cell holds.
  void *allocate(std::size_t bytes, const void *near = nullptr) {
    void *node = nullptr;
    with(bytes, [&](auto &heap) { node = allocate_in(heap, near); });
    if (node == nullptr) throw std::bad_alloc();
    return node;
  }
  // What `allocate` gave for so many bytes.
  void free(void *node, std::size_t bytes) {
    with(bytes, [&](auto &heap) { heap.free(cell_of(heap, node)); });
  }
  template <std::size_t Bytes>
  Heap<Bytes> &heap() {
    return std::get<Heap<Bytes>>(heaps_);
  }
  // Calls `work(heap)` with the heap of cells that hold `bytes`, if there is one.
  template <typename Work>
  void with(std::size_t bytes, Work work) {
    const std::size_t fit = size_for(bytes);
    static_cast<void>(((fit == Sizes && (work(heap<Sizes>()), true)) || ...));
  }

private:
  template <typename H>
  static CellId cell_of(const H &heap, const void *node) {
    return heap.cell_of(static_cast<const typename H::NodeType *>(node));
  }
  template <typename H>
  static bool holds(const H &heap, const void *node) {
    const auto *start = static_cast<const std::byte *>(heap.address(kNoCell));
    const auto *at = static_cast<const std::byte *>(node);
    return at >= start && at < start + std::size_t{heap.pages()} * H::Numbers::kGeometry.page_bytes;
  }
  template <typename H>
  static void *allocate_in(H &heap, const void *near) {
    CellId cell = kNoCell;
    if (near != nullptr && holds(heap, near))
      cell = coallocators::L::allocate(heap, cell_of(heap, near));
    if (!found(cell)) cell = coallocators::EL::allocate(heap);
    return found(cell) ? heap.address(cell) : nullptr;
  }

  std::tuple<Heap<Sizes>...> heaps_;
};

} // namespace adcock::move
