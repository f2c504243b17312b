// The C functions of adcock/move/cells.h: a heap of the family for each size of node, behind one interface.
#include "adcock/move/cells.h"

#include "adcock/move/heap_family.hpp"
#include "adcock/move/relayout.hpp"

#include <cerrno>
#include <memory>

using namespace adcock::move; // NOLINT(google-build-using-namespace): this file is its C face

struct adcock_cells {
  adcock_cells() = default;
  adcock_cells(const adcock_cells &) = delete;
  adcock_cells &operator=(const adcock_cells &) = delete;
  virtual ~adcock_cells() = default;

  virtual void *allocate(const void *near) = 0;
  virtual void free(void *node) = 0;
  virtual std::size_t nodes() const = 0;
  virtual std::size_t bytes() const = 0;
  virtual void bound(double m) = 0;
  virtual std::size_t relayout(void **roots, std::size_t count,
                               const adcock_cells_links &links) = 0;
};

namespace {

constexpr Needs kNeeds = coallocators::EL::needs();

// A heap that knows, while it is laid out, where its nodes' links are.
template <std::size_t Bytes>
struct LinkedHeap : RdsHeap<RawNode<Bytes>, Geometry{}, kNeeds> {
  const adcock_cells_links *links = nullptr;

  void *&link(CellId node, unsigned which) const {
    auto *start = static_cast<std::byte *>(this->address(node));
    return *reinterpret_cast<void **>(start + links->offsets[which]);
  }
  CellId cell_or_none(void *node) const {
    return node == nullptr ? kNoCell : this->cell_of(static_cast<RawNode<Bytes> *>(node));
  }
};

template <unsigned Most>
struct OffsetLinks {
  static constexpr unsigned kLinks = Most;

  template <typename Heap>
  static CellId get(const Heap &heap, CellId node, unsigned which) {
    return which < heap.links->count ? heap.cell_or_none(heap.link(node, which)) : kNoCell;
  }
  template <typename Heap>
  static void set(Heap &heap, CellId node, unsigned which, CellId to) {
    heap.link(node, which) = found(to) ? heap.address(to) : nullptr;
  }
  template <typename Heap>
  static void moved(Heap &heap, CellId from, CellId to) {
    if (heap.links->moved != nullptr)
      heap.links->moved(heap.links->user, heap.address(from), heap.address(to));
  }
};

template <std::size_t Bytes>
class CellsOf final : public adcock_cells {
public:
  void *allocate(const void *near) override {
    CellId cell = kNoCell;
    if (near != nullptr)
      cell = coallocators::L::allocate(heap_,
                                       heap_.cell_of(static_cast<const RawNode<Bytes> *>(near)));
    if (!found(cell)) cell = coallocators::EL::allocate(heap_);
    return found(cell) ? heap_.address(cell) : nullptr;
  }
  void free(void *node) override { heap_.free(heap_.cell_or_none(node)); }
  std::size_t nodes() const override { return heap_.nodes(); }
  std::size_t bytes() const override {
    return std::size_t{heap_.pages()} * decltype(heap_)::Numbers::kGeometry.page_bytes;
  }
  void bound(double m) override { heap_.bound_ratio(m); }
  std::size_t relayout(void **roots, std::size_t count, const adcock_cells_links &links) override {
    std::vector<CellId> cells;
    for (std::size_t i = 0; i < count; ++i) cells.push_back(heap_.cell_or_none(roots[i]));
    heap_.links = &links;
    const auto number_of_roots = static_cast<std::uint32_t>(count);
    const auto nesting = Nesting::lines_in_pages;
    const std::size_t moved =
        links.count == 1
            ? adcock::move::relayout<OffsetLinks<1>>(heap_, cells.data(), number_of_roots)
            : adcock::move::relayout<OffsetLinks<ADCOCK_CELLS_MOST_LINKS>>(
                  heap_, cells.data(), number_of_roots, nesting);
    heap_.trim();
    for (std::size_t i = 0; i < count; ++i)
      roots[i] = found(cells[i]) ? heap_.address(cells[i]) : nullptr;
    return moved;
  }

private:
  LinkedHeap<Bytes> heap_;
};

template <std::size_t... Sizes>
adcock_cells *make(std::size_t bytes) {
  adcock_cells *made = nullptr;
  static_cast<void>(((bytes <= Sizes && (made = new CellsOf<Sizes>()) != nullptr) || ...));
  return made;
}

bool are_valid(const adcock_cells_links *links) {
  if (links == nullptr || links->count == 0 || links->count > ADCOCK_CELLS_MOST_LINKS) return false;
  for (std::size_t i = 0; i < links->count; ++i)
    if (links->offsets[i] % alignof(void *) != 0) return false;
  return true;
}

// What `work` gives, or `failed` where memory runs out.
template <typename T, typename Work>
T or_no_memory(T failed, Work work) {
  try {
    return work();
  } catch (const std::bad_alloc &) {
    errno = ENOMEM;
    return failed;
  }
}

} // namespace

extern "C" {

adcock_cells *adcock_cells_new(size_t node_bytes) {
  adcock_cells *cells = or_no_memory<adcock_cells *>(nullptr, [&] {
    return make<16, 32, 48, 64, 128, 256>(node_bytes == 0 ? SIZE_MAX : node_bytes);
  });
  if (cells == nullptr && errno != ENOMEM) errno = EINVAL;
  return cells;
}

void adcock_cells_delete(adcock_cells *cells) { delete cells; }

void *adcock_cells_allocate(adcock_cells *cells, const void *near) {
  return or_no_memory<void *>(nullptr, [&] {
    void *node = cells->allocate(near);
    if (node == nullptr) errno = ENOMEM;
    return node;
  });
}

void adcock_cells_free(adcock_cells *cells, void *node) { cells->free(node); }
size_t adcock_cells_nodes(const adcock_cells *cells) { return cells->nodes(); }
size_t adcock_cells_bytes(const adcock_cells *cells) { return cells->bytes(); }
void adcock_cells_bound(adcock_cells *cells, unsigned percent) { cells->bound(percent / 100.0); }

size_t adcock_cells_relayout(adcock_cells *cells, void **roots, size_t count,
                             const adcock_cells_links *links) {
  if (!are_valid(links) || (roots == nullptr && count > 0)) {
    errno = EINVAL;
    return SIZE_MAX;
  }
  return or_no_memory(SIZE_MAX, [&] { return cells->relayout(roots, count, *links); });
}
}
