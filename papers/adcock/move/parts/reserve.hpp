// Memory that grows in place: an array in a range of addresses that is reserved at once and filled as it is needed, so
// that what lies in it never moves because the array grows. What has not been written to reads as zero.
#pragma once

#include <cstddef>
#include <new>
#include <sys/mman.h>
#include <type_traits>

namespace adcock::move {

// The kernel's memory: the range is reserved without being backed.
class MappedReserve {
public:
  MappedReserve() = default;
  ~MappedReserve() {
    if (base_ != nullptr) munmap(base_, reserved_);
  }
  MappedReserve(const MappedReserve &) = delete;
  MappedReserve &operator=(const MappedReserve &) = delete;

  // Makes room for `bytes` in all; `most` is how much there can ever be. Throws std::bad_alloc.
  void grow_to(std::size_t bytes, std::size_t most) {
    if (base_ == nullptr) reserve(most);
    if (bytes > reserved_) throw std::bad_alloc();
  }

  // Says that [from, to) is not needed now; it reads as zero from here on. Both are offsets in bytes.
  void forget(std::size_t from, std::size_t to) {
    if (to > from) madvise(base_ + from, to - from, MADV_DONTNEED);
  }

  std::byte *base() const { return base_; }
  std::byte *at(std::size_t offset) const { return base_ + offset; }

private:
  void reserve(std::size_t bytes) {
    void *range = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) throw std::bad_alloc();
    // A large structure of scattered look-ups needs fewest translations with these.
    madvise(range, bytes, MADV_HUGEPAGE);
    base_ = static_cast<std::byte *>(range);
    reserved_ = bytes;
  }

  std::byte *base_ = nullptr;
  std::size_t reserved_ = 0;
};

// An array of plain records in a reserve. Growing never constructs: a record begins as zeros.
template <typename T>
class ReserveArray {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  void grow_to(std::size_t count, std::size_t most) {
    reserve_.grow_to(count * sizeof(T), most * sizeof(T));
    data_ = reinterpret_cast<T *>(reserve_.base());
  }
  T &operator[](std::size_t index) { return data_[index]; }
  const T &operator[](std::size_t index) const { return data_[index]; }

private:
  MappedReserve reserve_;
  T *data_ = nullptr;
};

// Stands for an array that is not needed.
struct NoArray {
  void grow_to(std::size_t /*count*/, std::size_t /*most*/) {}
};

} // namespace adcock::move
