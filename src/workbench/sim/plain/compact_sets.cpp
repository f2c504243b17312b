#include "sim/plain/compact_sets.hpp"

#include "sim/plain/avx512.hpp"

#include <algorithm>
#include <bit>

namespace abut::sim {
namespace {

// An entry: a tag, the part of a line's number that its set does not determine, above these.
constexpr uint32_t kDirty = 1;
constexpr uint32_t kByAllocator = LineRequest::kByAllocator;
constexpr uint32_t kCounted = kDirty | kByAllocator;
constexpr unsigned kTagShift = 3;
constexpr uint32_t kFlags = (1U << kTagShift) - 1;
constexpr unsigned kTagBits = 28;
constexpr uint32_t kEmpty = ~uint32_t{0}; // no tag is as large

constexpr size_t kAhead = 16;        // requests
constexpr uint64_t kNear = 32 << 10; // bytes

} // namespace

CompactSets::CompactSets(uint64_t sets, uint32_t ways)
    : sets_(sets), ways_(ways), far_(sets * sizeof(Row) > kNear) {
  Row empty;
  empty.entries.fill(kEmpty);
  rows_.assign(sets, empty);
}

// What they hold goes on in wide ones: asked for there from the one used least recently, which finds room for each.
void CompactSets::widen() {
  wide_ = std::make_unique<DigitSets>(sets_, ways_);
  const int set_bits = std::countr_zero(sets_);
  for (uint64_t set = 0; set < sets_; ++set)
    for (uint32_t way = ways_; way-- > 0;) {
      const uint32_t entry = rows_[set].entries[way];
      if (entry == kEmpty) continue;
      const uint64_t line = uint64_t{entry >> kTagShift} << set_bits | set;
      const LineRequest line_request{line << Entry::kLineShift |
                                         ((entry & kDirty) != 0 ? LineRequest::kMakesDirty : 0) |
                                         (entry & kByAllocator),
                                     0};
      std::array<LineRequest, 2> handed;
      uint8_t missed;
      Left left;
      wide_->run({&line_request, 1}, handed.data(), &missed, left);
    }
  rows_ = {};
}

// A branch that nearly always goes the same way costs less than doing without.
size_t CompactSets::run(std::span<const LineRequest> requests, LineRequest *handed, uint8_t *missed,
                        Left &left) {
  uint64_t any = 0;
  for (const LineRequest &line_request : requests) any |= line_request.bits;
  if (!wide_ && !fits(any)) widen();
  if (wide_) return wide_->run(requests, handed, missed, left);
  size_t count;
  if (mostly_hits_)
    count = run_all<true, true>(requests, handed, missed, left);
  else if ((any & LineRequest::kWriteBack) != 0)
    count = run_all<false, true>(requests, handed, missed, left);
  else
    count = run_all<false, false>(requests, handed, missed, left);
  mostly_hits_ = count < requests.size() / 16;
  return count;
}

bool CompactSets::fits(uint64_t bits) const {
  return bits >> Entry::kLineShift >> std::countr_zero(sets_) >> kTagBits == 0;
}

inline void CompactSets::fetch(std::span<const LineRequest> requests) const {
  for (const LineRequest &line_request : requests)
    __builtin_prefetch(&rows_[line_request.line() & (sets_ - 1)]);
}

template <bool kMostlyHits, bool kAnyReturn>
size_t CompactSets::run_all(std::span<const LineRequest> requests, LineRequest *handed,
                            uint8_t *missed, Left &left) {
  LineRequest *const first = handed;
  Tally tally{};
  if (far_) fetch(requests.first(std::min(kAhead, requests.size())));
  for (size_t done = 0; done < requests.size(); done += kAhead) {
    const std::span<const LineRequest> rest = requests.subspan(done);
    const std::span<const LineRequest> now = rest.first(std::min(kAhead, rest.size()));
    const std::span<const LineRequest> next = rest.subspan(now.size());
    if (far_) fetch(next.first(std::min(kAhead, next.size())));
    handed = run_few<kMostlyHits, kAnyReturn>(now, handed, missed + done, tally);
  }
  left.dirty_of_allocator = tally[kByAllocator | kDirty];
  left.dirty = tally[kDirty] + left.dirty_of_allocator;
  left.of_allocator = tally[kByAllocator] + left.dirty_of_allocator;
  left.all = tally[0] + tally[kDirty] + left.of_allocator;
  return static_cast<size_t>(handed - first);
}

#ifdef __x86_64__

bool CompactSets::can_run(uint64_t sets) {
  return is_power_of_two(sets) && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

template <bool kMostlyHits, bool kAnyReturn>
[[gnu::target("avx512f,bmi,bmi2")]] LineRequest *
CompactSets::run_few(std::span<const LineRequest> requests, LineRequest *handed, uint8_t *missed,
                     Tally &tally) {
  const uint64_t set_mask = sets_ - 1;
  const int set_bits = std::countr_zero(sets_);
  const uint32_t last_way = 1U << (ways_ - 1);
  Row *const rows = rows_.data();
  const __m512i flags = _mm512_set1_epi32(kFlags);
  for (const LineRequest &line_request : requests) {
    const uint64_t bits = line_request.bits;
    const uint64_t line = bits >> Entry::kLineShift;
    const uint64_t set = line & set_mask;
    const auto tag = static_cast<uint32_t>(line >> set_bits << kTagShift);
    Row &row = rows[set];
    const __m512i entries = _mm512_load_si512(&row);
    const uint32_t found = _mm512_cmple_epu32_mask(
        _mm512_xor_si512(entries, _mm512_set1_epi32(static_cast<int32_t>(tag))), flags);
    const uint32_t misses = found == 0;
    const uint32_t ways = found | last_way;
    const uint32_t way = ways & (0 - ways); // the one that was found, or the last
    const uint32_t old = row.entries[std::countr_zero(way)];

    const uint32_t returns = kAnyReturn ? bits / LineRequest::kWriteBack & 1 : 0;
    const uint32_t dirties = (bits / LineRequest::kMakesDirty & 1) | returns;
    const uint32_t fresh = tag | (bits & kByAllocator);
    const uint32_t now = (misses != 0 ? fresh : old) | dirties;
    // What was used goes first, those before it one further; what returns leaves the order alone.
    const uint32_t stays = 0 - returns;
    const __m512i used = _mm512_set1_epi32(static_cast<int32_t>(now));
    __m512i moved =
        _mm512_mask_alignr_epi32(entries, static_cast<__mmask16>((way | (way - 1)) & ~stays),
                                 entries, used, static_cast<int>(kMostWays) - 1);
    if constexpr (kAnyReturn)
      moved =
          _mm512_mask_mov_epi32(moved, static_cast<__mmask16>(way & stays & (misses - 1)), used);
    _mm512_store_si512(&row, moved);
    const uint32_t arrives = misses & ~returns;
    *missed++ = static_cast<uint8_t>(arrives);
    if constexpr (kMostlyHits)
      if (misses == 0) [[likely]]
        continue;

    const uint32_t goes = arrives & static_cast<uint32_t>(old != kEmpty);
    *handed = {bits & ~LineRequest::kMakesDirty, line_request.owner};
    handed += misses;
    const uint64_t left = uint64_t{old >> kTagShift} << set_bits | set;
    *handed = {left << Entry::kLineShift | LineRequest::kWriteBack | (old & kByAllocator), 0};
    handed += goes & old;
    ++tally[(old & kCounted) | (goes ^ 1) << kTagShift];
  }
  return handed;
}

#else

bool CompactSets::can_run(uint64_t) { return false; }

template <bool kMostlyHits, bool kAnyReturn>
LineRequest *CompactSets::run_few(std::span<const LineRequest>, LineRequest *handed, uint8_t *,
                                  Tally &) {
  return handed;
}

#endif

} // namespace abut::sim
