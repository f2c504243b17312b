#include "sim/plain/line_changes.hpp"

#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 takes its own vector functions for uninitialised (its bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

namespace abut::sim {
namespace {

constexpr size_t kAhead = 256; // references

} // namespace

LineChanges::LineChanges(unsigned line_shift) : line_shift_(line_shift) {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
    rows_ = &LineChanges::take_rows;
}

void LineChanges::take(const References &references, std::array<uint64_t, kKinds> &accesses) {
  count_ = 0;
  last_ = kNone;
  make_room(references.count());
  for (size_t i = (this->*rows_)(references, accesses); i < references.count(); ++i)
    take_one(references, i, accesses);
  bits_[count_] = kNone;
}

// Also for a whole row that is written beyond the last.
void LineChanges::make_room(size_t more) {
  const size_t room = count_ + more + kTogether;
  if (bits_.size() >= room) return;
  bits_.resize(room);
  owners_.resize(room);
}

inline void LineChanges::take_one(const References &references, size_t i,
                                  std::array<uint64_t, kKinds> &accesses) {
  const Extent extent = extent_of(references.addresses[i], references.sizes[i]);
  const uint64_t end = extent.last >> line_shift_;
  const Kind kind = references.kinds[i] % kKinds;
  uint64_t line = extent.first >> line_shift_;
  if (line != end) [[unlikely]] {
    accesses[kind] += end - line;
    make_room(end - line + references.count() - i);
  }
  for (; line <= end; ++line) {
    const uint64_t now = LineRequest::bits_of(line, kind);
    const bool writes_first = (now & ~last_ & LineRequest::kMakesDirty) != 0;
    bits_[count_] = now;
    if (!references.owners.empty()) owners_[count_] = references.owners[i];
    count_ += static_cast<size_t>(!same_line(now, last_) | writes_first);
    last_ = now;
  }
}

// The same, eight at a time. Answers how many references were taken.
[[gnu::target("avx512f,avx512vl,popcnt")]] size_t
LineChanges::take_rows(const References &references, std::array<uint64_t, kKinds> &accesses) {
  const size_t in_rows = references.count() / kTogether * kTogether;
  const bool owned = !references.owners.empty();
  const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(line_shift_));
  const __m512i one_line = _mm512_set1_epi64((1 << Entry::kLineShift) - 1);
  const __m512i dirties = _mm512_set1_epi64(LineRequest::kMakesDirty);
  const __m128i flags_of_kinds = _mm_set1_epi32(
      static_cast<int>(LineRequest::bits_of(0, 0) | LineRequest::bits_of(0, 1) << 8 |
                       LineRequest::bits_of(0, 2) << 16 | LineRequest::bits_of(0, 3) << 24));
  __m512i before = _mm512_set1_epi64(-1);
  for (size_t i = 0; i < in_rows; i += kTogether) {
    // The columns come from far away, and processors fetch no further than the page.
    __builtin_prefetch(references.addresses.data() + i + kAhead);
    __builtin_prefetch(references.sizes.data() + i + kAhead);
    const __m512i first = _mm512_and_si512(_mm512_loadu_si512(references.addresses.data() + i),
                                           _mm512_set1_epi64(static_cast<int64_t>(kAddressMask)));
    const __m256i sizes = _mm256_min_epu32(
        _mm256_loadu_si256(reinterpret_cast<const __m256i *>(references.sizes.data() + i)),
        _mm256_set1_epi32(kMostBytes));
    const __m256i further = _mm256_sub_epi32(
        sizes, _mm256_min_epu32(sizes, _mm256_set1_epi32(1))); // bytes beyond the first
    const __m512i lines = _mm512_srl_epi64(first, shift);
    const __m512i ends =
        _mm512_srl_epi64(_mm512_add_epi64(first, _mm512_cvtepu32_epi64(further)), shift);
    if (_mm512_cmpneq_epi64_mask(lines, ends) != 0) [[unlikely]] {
      last_ = static_cast<uint64_t>(_mm_extract_epi64(_mm512_extracti32x4_epi32(before, 3), 1));
      for (size_t k = 0; k < kTogether; ++k) take_one(references, i + k, accesses);
      before = _mm512_set1_epi64(static_cast<int64_t>(last_));
      continue;
    }
    const __m128i kinds = _mm_and_si128(
        _mm_loadl_epi64(reinterpret_cast<const __m128i *>(references.kinds.data() + i)),
        _mm_set1_epi8(kKinds - 1));
    const __m512i flags = _mm512_cvtepu8_epi64(_mm_shuffle_epi8(flags_of_kinds, kinds));
    const __m512i now = _mm512_or_si512(_mm512_slli_epi64(lines, Entry::kLineShift), flags);
    const __m512i earlier = _mm512_alignr_epi64(now, before, kTogether - 1);
    before = now;
    const __mmask8 changes = _mm512_cmpgt_epu64_mask(_mm512_xor_si512(now, earlier), one_line) |
                             _mm512_test_epi64_mask(_mm512_andnot_si512(earlier, now), dirties);
    _mm512_storeu_si512(bits_.data() + count_, _mm512_maskz_compress_epi64(changes, now));
    if (owned)
      _mm256_storeu_si256(
          reinterpret_cast<__m256i *>(owners_.data() + count_),
          _mm256_maskz_compress_epi32(changes, _mm256_loadu_si256(reinterpret_cast<const __m256i *>(
                                                   references.owners.data() + i))));
    count_ += static_cast<size_t>(__builtin_popcount(changes));
  }
  if (in_rows != 0)
    last_ = static_cast<uint64_t>(_mm_extract_epi64(_mm512_extracti32x4_epi32(before, 3), 1));
  return in_rows;
}

} // namespace abut::sim
