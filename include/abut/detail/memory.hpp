// Memory for nodes of several sizes from one allocator of the standard's kind.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

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

// Memory for items while a sort takes, or none.
template <typename Item>
class Scratch {
public:
  explicit Scratch(std::size_t most) noexcept
      : items_(static_cast<Item *>(::operator new(most * sizeof(Item), std::nothrow))),
        end_(items_) {}
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  ~Scratch() { ::operator delete(static_cast<void *>(items_)); }
  bool exists() const noexcept { return items_ != nullptr; }
  Item *begin() noexcept { return items_; }
  Item *end() noexcept { return end_; }
  void add(const Item &item) noexcept { ::new (static_cast<void *>(end_++)) Item(item); }

private:
  Item *items_;
  Item *end_;
};

} // namespace abut::detail
