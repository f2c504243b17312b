// Memory that grows in place: an array in a range of addresses that is reserved at once and filled as it is needed, so
// that what lies in it never moves because the array grows. What has not been written to reads as zero.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <sys/mman.h>
#include <type_traits>
#include <utility>
#include <vector>

namespace adcock::move {

// The kernel's memory: the range is reserved without being backed.
class MappedReserve {
public:
  static constexpr bool kOneRange = true;
  static constexpr std::size_t kChunkBytes = std::size_t{1} << 40;

  MappedReserve() = default;
  ~MappedReserve() {
    if (base_ != nullptr) munmap(base_, reserved_);
  }
  MappedReserve(MappedReserve &&other) noexcept
      : base_(std::exchange(other.base_, nullptr)), reserved_(std::exchange(other.reserved_, 0)) {}
  MappedReserve &operator=(MappedReserve &&other) noexcept {
    std::swap(base_, other.base_);
    std::swap(reserved_, other.reserved_);
    return *this;
  }

  // Makes room for `bytes` in all; `most` is how much there can ever be. Throws std::bad_alloc.
  void grow_to(std::size_t bytes, std::size_t most) {
    if (base_ == nullptr) reserve(most);
    if (bytes > reserved_) throw std::bad_alloc();
  }

  // Asks the kernel for huge pages, which a large structure of scattered look-ups needs fewest translations with.
  void prefer_huge_pages() {
    if (base_ != nullptr) madvise(base_, reserved_, MADV_HUGEPAGE);
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
    base_ = static_cast<std::byte *>(range);
    reserved_ = bytes;
  }

  std::byte *base_ = nullptr;
  std::size_t reserved_ = 0;
};

// What a container takes its memory from unless an allocator is named: the kernel.
struct PageMemory {};

// Puts another object in one's place. Unlike assignment, this takes an allocator along.
template <typename T>
void replace(T &object, std::type_identity_t<T> &&by) noexcept {
  std::destroy_at(&object);
  std::construct_at(&object, std::move(by));
}

// An allocator's memory: chunks of one size, so that nothing moves when there are more of them; a look at a node reads
// where its chunk is, first. What is allocated reads as zero.
template <typename Allocator>
class ChunkedReserve {
public:
  static constexpr bool kOneRange = false;
  static constexpr std::size_t kChunkBytes = std::size_t{1} << 14;
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  using Lines = typename std::allocator_traits<Allocator>::template rebind_alloc<Line>;
  using Traits = std::allocator_traits<Lines>;

  ChunkedReserve() = default;
  explicit ChunkedReserve(const Allocator &allocator) : lines_(allocator) {}
  ~ChunkedReserve() { shrink_to(0); }
  ChunkedReserve(ChunkedReserve &&other) noexcept
      : lines_(other.lines_), chunks_(std::exchange(other.chunks_, {})) {}
  ChunkedReserve &operator=(ChunkedReserve &&other) noexcept {
    shrink_to(0);
    chunks_ = std::exchange(other.chunks_, {});
    replace(lines_, Lines(other.lines_));
    return *this;
  }

  Allocator allocator() const { return Allocator(lines_); }
  // Throws what the allocator throws; what was there stays.
  void grow_to(std::size_t bytes, std::size_t /*most*/) {
    while (chunks_.size() * kChunkBytes < bytes) {
      chunks_.reserve(std::bit_ceil(chunks_.size() + 1));
      const Pointer chunk = Traits::allocate(lines_, kLines);
      std::memset(static_cast<void *>(std::to_address(chunk)), 0, kChunkBytes);
      chunks_.push_back(chunk);
    }
  }
  void prefer_huge_pages() {}
  // What lies from `from` on is not needed now.
  void forget(std::size_t from, std::size_t to) {
    shrink_to((from + kChunkBytes - 1) / kChunkBytes);
    const std::size_t end = std::min(to, chunks_.size() * kChunkBytes);
    if (end > from) std::memset(at(from), 0, end - from);
  }
  std::byte *at(std::size_t offset) const {
    return std::to_address(chunks_[offset / kChunkBytes])->bytes + offset % kChunkBytes;
  }

private:
  using Pointer = typename Traits::pointer;
  static constexpr std::size_t kLines = kChunkBytes / sizeof(Line);

  void shrink_to(std::size_t count) {
    for (; chunks_.size() > count; chunks_.pop_back())
      Traits::deallocate(lines_, chunks_.back(), kLines);
  }

  Lines lines_;
  std::vector<Pointer> chunks_;
};

template <typename Memory>
struct ReserveChoice {
  using Type = ChunkedReserve<Memory>;
  static Type make(const Memory &memory) { return Type(memory); }
  static Memory memory(const Type &reserve) { return reserve.allocator(); }
};
template <>
struct ReserveChoice<PageMemory> {
  using Type = MappedReserve;
  static Type make(PageMemory /*memory*/) { return Type(); }
  static PageMemory memory(const Type & /*reserve*/) { return {}; }
};
// The reserve of `Memory`: PageMemory or an allocator.
template <typename Memory>
using ReserveOf = typename ReserveChoice<Memory>::Type;

// An array of plain records in a reserve. Growing never constructs: a record begins as zeros.
template <typename T, typename Reserve>
class ReserveArray {
  static_assert(std::is_trivially_copyable_v<T>);
  static_assert(Reserve::kOneRange || (sizeof(T) <= Reserve::kChunkBytes && alignof(T) <= 64));

public:
  ReserveArray() = default;
  explicit ReserveArray(Reserve reserve) : reserve_(std::move(reserve)) {}

  void grow_to(std::size_t count, std::size_t most) {
    if constexpr (Reserve::kOneRange) {
      reserve_.grow_to(count * sizeof(T), most * sizeof(T));
      data_ = reinterpret_cast<T *>(reserve_.base());
    } else {
      reserve_.grow_to((count + kInChunk - 1) / kInChunk * Reserve::kChunkBytes, 0);
    }
  }
  void prefer_huge_pages() { reserve_.prefer_huge_pages(); }
  T &operator[](std::size_t index) { return *at(index); }
  const T &operator[](std::size_t index) const { return *at(index); }

private:
  static constexpr std::size_t kInChunk = Reserve::kChunkBytes / sizeof(T);
  T *at(std::size_t index) const {
    if constexpr (Reserve::kOneRange) return data_ + index;
    const std::size_t offset =
        index / kInChunk * Reserve::kChunkBytes + index % kInChunk * sizeof(T);
    return reinterpret_cast<T *>(reserve_.at(offset));
  }

  Reserve reserve_;
  T *data_ = nullptr;
};

// Stands for an array that is not needed.
struct NoArray {
  NoArray() = default;
  template <typename Reserve>
  explicit NoArray(const Reserve & /*reserve*/) {}
  void grow_to(std::size_t /*count*/, std::size_t /*most*/) {}
  void prefer_huge_pages() {}
};

} // namespace adcock::move
