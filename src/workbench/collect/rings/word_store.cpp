#include "collect/rings/word_store.hpp"

#include <algorithm>
#include <immintrin.h>
#include <new>
#include <sys/mman.h>

namespace abut::record {

using ring::Word;

namespace {

constexpr size_t kSlabBytes = SlabPool::kSlabWords * sizeof(Word);

// A slab begins where a huge page can lie.
Word *map_slab() {
  void *mapped = mmap(nullptr, 2 * kSlabBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto *begin = static_cast<char *>(mapped);
  const size_t before = -reinterpret_cast<uintptr_t>(begin) % kSlabBytes;
  if (before != 0) munmap(begin, before);
  munmap(begin + before + kSlabBytes, kSlabBytes - before);
  madvise(begin + before, kSlabBytes, MADV_HUGEPAGE);
  return reinterpret_cast<Word *>(begin + before);
}

// The same as std::memcpy, past the caches.
void copy_past_caches(Word *to, std::span<const Word> words) {
  for (size_t i = 0; i < words.size(); ++i)
    _mm_stream_si64(reinterpret_cast<long long *>(to + i), static_cast<long long>(words[i]));
  _mm_sfence();
}

} // namespace

SlabPool::~SlabPool() {
  for (Word *slab : waiting_) munmap(slab, kSlabBytes);
}

std::shared_ptr<Word> SlabPool::take() {
  Word *slab = nullptr;
  {
    const std::lock_guard guard(mutex_);
    if (!waiting_.empty()) {
      slab = waiting_.back();
      waiting_.pop_back();
    }
  }
  if (slab == nullptr) slab = map_slab();
  return {slab, [pool = shared_from_this()](Word *done) { pool->put_back(done); }};
}

void SlabPool::put_back(Word *slab) {
  {
    const std::lock_guard guard(mutex_);
    if (waiting_.size() < kMostWaiting) return waiting_.push_back(slab);
  }
  munmap(slab, kSlabBytes);
}

KeptWords WordStore::keep(std::span<const Word> words) {
  if (words.size() <= few_left_) {
    few_left_ -= words.size();
    const auto own = std::make_shared_for_overwrite<Word[]>(words.size());
    std::ranges::copy(words, own.get());
    return {{own, own.get()}, {own.get(), words.size()}};
  }
  if (words.size() > SlabPool::kSlabWords - used_) {
    slab_ = pool_->take();
    used_ = 0;
  }
  Word *to = slab_.get() + used_;
  copy_past_caches(to, words);
  used_ += words.size();
  return {slab_, {to, words.size()}};
}

} // namespace abut::record
