// Elements and allocators that count what is alive, and throw where a test says so.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

namespace abut {

// Counts down at everything that may throw; at zero it does.
struct Fuse {
  static inline long left = -1;
  static void burn() {
    if (left >= 0 && left-- == 0) throw std::runtime_error("as the test says");
  }
};

// With `Safe`, its moves do not throw.
template <bool Safe>
struct Guarded {
  static inline long alive = 0;

  explicit Guarded(int number)
      : value(std::to_string(number) + " and more, not to be a short string") {
    Fuse::burn();
    ++alive;
  }
  Guarded(const Guarded &other) : value(other.value) {
    Fuse::burn();
    ++alive;
  }
  Guarded(Guarded &&other) noexcept(Safe) : value(other.value) {
    if constexpr (!Safe) Fuse::burn();
    ++alive;
  }
  Guarded &operator=(const Guarded &) = default;
  ~Guarded() { --alive; }
  bool operator==(const Guarded &) const = default;
  auto operator<=>(const Guarded &) const = default;

  std::string value;
};

struct ThrowingLess {
  template <typename T>
  bool operator()(const T &one, const T &other) const {
    Fuse::burn();
    return one < other;
  }
};

// Counts the bytes that are out, over all types.
struct BytesOut {
  static inline long now = 0;
};
template <typename T>
struct CountingAllocator {
  using value_type = T;
  CountingAllocator() = default;
  template <typename U>
  CountingAllocator(const CountingAllocator<U> &) {} // NOLINT(google-explicit-constructor)
  T *allocate(std::size_t count) {
    Fuse::burn();
    BytesOut::now += static_cast<long>(count * sizeof(T));
    return std::allocator<T>().allocate(count);
  }
  void deallocate(T *memory, std::size_t count) noexcept {
    BytesOut::now -= static_cast<long>(count * sizeof(T));
    std::allocator<T>().deallocate(memory, count);
  }
  bool operator==(const CountingAllocator &) const { return true; }
};

} // namespace abut
