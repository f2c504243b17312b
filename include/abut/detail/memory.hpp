// Memory for nodes of several sizes from one allocator of the standard's kind.
#pragma once

#include <cstddef>
#include <memory>

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

} // namespace abut::detail
