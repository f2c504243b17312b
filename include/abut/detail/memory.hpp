// Memory for nodes of several sizes from one allocator of the standard's kind.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace abut::detail {

template <std::size_t Alignment>
struct alignas(Alignment) Unit {
  std::byte bytes[Alignment];
};

template <std::size_t Alignment, typename Allocator>
using UnitAllocator =
    typename std::allocator_traits<Allocator>::template rebind_alloc<Unit<Alignment>>;

template <std::size_t Alignment, typename Allocator>
void *allocate_bytes(const Allocator &allocator, std::size_t bytes) {
  using Units = UnitAllocator<Alignment, Allocator>;
  Units units(allocator);
  return std::to_address(
      std::allocator_traits<Units>::allocate(units, (bytes + Alignment - 1) / Alignment));
}

template <std::size_t Alignment, typename Allocator>
void deallocate_bytes(const Allocator &allocator, void *memory, std::size_t bytes) noexcept {
  using Units = UnitAllocator<Alignment, Allocator>;
  using Pointer = typename std::allocator_traits<Units>::pointer;
  Units units(allocator);
  auto *first = static_cast<Unit<Alignment> *>(memory);
  std::allocator_traits<Units>::deallocate(units, std::pointer_traits<Pointer>::pointer_to(*first),
                                           (bytes + Alignment - 1) / Alignment);
}

// Plain items, sorted with as much memory beside them; or none, where there is none. Not by std::stable_sort: that of
// libstdc++ calls what is deprecated, of which clang warns whoever includes this.
template <typename Item>
class Scratch {
public:
  explicit Scratch(std::size_t most) noexcept
      : items_(static_cast<Item *>(::operator new(2 * most * sizeof(Item), std::nothrow))),
        end_(items_) {}
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  ~Scratch() { ::operator delete(static_cast<void *>(items_)); }
  bool exists() const noexcept { return items_ != nullptr; }
  void add(const Item &item) noexcept { ::new (static_cast<void *>(end_++)) Item(item); }

  // Equal ones as they were added. Where the first lies then.
  template <typename Less>
  Item *sort(Less less) {
    const std::size_t count = static_cast<std::size_t>(end_ - items_);
    for (std::size_t i = 0; i < count; i += kRun) sort_run(at(i), at(i + kRun), less);
    Item *from = items_;
    Item *to = end_;
    for (std::size_t width = kRun; width < count; width *= 2) {
      for (std::size_t i = 0; i < count; i += 2 * width) {
        Item *const middle = from + std::min(i + width, count);
        std::merge(from + i, middle, middle, from + std::min(i + 2 * width, count), to + i, less);
      }
      std::swap(from, to);
    }
    return from;
  }

private:
  static constexpr std::size_t kRun = 8;

  Item *at(std::size_t i) noexcept {
    return items_ + std::min(i, static_cast<std::size_t>(end_ - items_));
  }
  template <typename Less>
  static void sort_run(Item *from, Item *to, Less &less) {
    for (Item *next = from; next != to; ++next) {
      Item item = *next;
      Item *place = next;
      for (; place != from && less(item, place[-1]); --place) *place = place[-1];
      *place = item;
    }
  }

  Item *items_;
  Item *end_;
};

} // namespace abut::detail
