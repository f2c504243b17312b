// Hints for containers: `abut::allocator` for the standard's, `abut::near_resource` for those of std::pmr. Both ask for
// memory near a friend: any address inside a live block, of the object that will be used together with the container.
//
//   struct Order { std::vector<Item, abut::allocator<Item>> items{abut::allocator<Item>{this}}; };
//
// C++17, and nothing to link: under libabut.so hints reach it, else they are plain requests. Hints are for blocks of up to
// 256 bytes; larger ones are placed as ever. After Chilimbi, Hill and Larus's ccmalloc.
#pragma once

#include "detail/config.hpp"

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory_resource>
#include <new>
#include <type_traits>

extern "C" __attribute__((weak)) void *abut_malloc_near(std::size_t bytes, const void *other);

namespace abut {

namespace detail {

// Memory that std::free takes back. Throws std::bad_alloc.
inline void *allocate_near(std::size_t bytes, std::size_t alignment, const void *near) {
  void *memory = nullptr;
  if (bytes < alignment) bytes = alignment; // heaps align no block for more than its size
  if (alignment > alignof(std::max_align_t)) {
    const std::size_t whole = (bytes + alignment - 1) & ~(alignment - 1);
    memory = whole < bytes ? nullptr : std::aligned_alloc(alignment, whole);
  } else {
    memory = abut_malloc_near ? abut_malloc_near(bytes, near) : std::malloc(bytes);
  }
  if (memory == nullptr) ABUT_THROW(std::bad_alloc());
  return memory;
}

} // namespace detail

// An allocator for the standard's containers. What it allocates comes to lie near its friend. All allocators of this kind
// are equal: what one allocated, any other frees. A copy of a container has no friend, since the friend of the first is none
// of the second's; a container made by a move has its source's, and one that is assigned to keeps its own.
template <typename T>
class allocator { // NOLINT(readability-identifier-naming): the standard's name
public:
  using value_type = T;
  using is_always_equal = std::true_type;

  // No friend: memory as from malloc.
  allocator() noexcept = default;

  // `near`: null, or an address inside a block that stays allocated as long as this allocator is used.
  explicit allocator(const void *near) noexcept : near_(near) {}

  // The same friend, for another type: containers allocate nodes, not elements.
  template <typename U>
  allocator(const allocator<U> &other) noexcept // NOLINT(google-explicit-constructor)
      : near_(other.near()) {}

  // Room for `count` objects of T. Throws std::bad_array_new_length or std::bad_alloc.
  T *allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T))
      ABUT_THROW(std::bad_array_new_length());
    return static_cast<T *>(detail::allocate_near(count * sizeof(T), alignof(T), near_));
  }

  // Gives back what any allocator of this kind allocated.
  void deallocate(T *memory, std::size_t) noexcept { std::free(memory); }

  // What a copy of the container allocates with: no friend.
  allocator select_on_container_copy_construction() const noexcept { return {}; }

  // The friend, or null.
  const void *near() const noexcept { return near_; }

private:
  const void *near_ = nullptr;
};

template <typename T, typename U>
bool operator==(const allocator<T> &, const allocator<U> &) noexcept {
  return true;
}
template <typename T, typename U>
bool operator!=(const allocator<T> &, const allocator<U> &) noexcept {
  return false;
}

// The same for containers of std::pmr. The friend may be changed at any time; what was allocated stays where it is. All
// resources of this kind are equal. A resource is for one thread at a time while its friend is changed.
class near_resource // NOLINT(readability-identifier-naming): named as the standard's are
    : public std::pmr::memory_resource {
public:
  // No friend: memory as from malloc.
  near_resource() noexcept = default;

  // `near`: null, or an address inside a block that stays allocated as long as it is this resource's friend.
  explicit near_resource(const void *near) noexcept : near_(near) {}

  // Memory from here on comes to lie near this one; null: near nothing.
  void set_near(const void *near) noexcept { near_ = near; }

  // The friend, or null.
  const void *near() const noexcept { return near_; }

private:
  void *do_allocate(std::size_t bytes, std::size_t alignment) override {
    return detail::allocate_near(bytes, alignment, near_);
  }
  void do_deallocate(void *memory, std::size_t, std::size_t) override { std::free(memory); }
  bool do_is_equal(const std::pmr::memory_resource &other) const noexcept override {
#if defined(__cpp_rtti)
    return dynamic_cast<const near_resource *>(&other) != nullptr;
#else
    return this == &other;
#endif
  }

  const void *near_ = nullptr;
};

} // namespace abut
