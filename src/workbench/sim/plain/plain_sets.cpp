#include "sim/plain/plain_sets.hpp"

#include "sim/byte_marks.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace abut::sim {
namespace {

constexpr uint64_t kEmpty = ~uint64_t{0} << Entry::kLineShift;
constexpr size_t kAhead = 12;        // requests
constexpr uint64_t kNear = 32 << 10; // bytes

} // namespace

template <size_t kFours, bool kMostlyHits>
[[gnu::always_inline]] inline size_t PlainSets::run_all(std::span<const LineRequest> requests,
                                                        LineRequest *handed, uint8_t *missed,
                                                        Left &left) {
  using Lanes = uint64_t __attribute__((vector_size(sizeof(Four))));
  LineRequest *const first = handed;
  const SetIndex index = index_;
  const unsigned last_digit = last_digit_;
  const bool far = far_;
  Four *const fours = fours_.data();
  uint64_t *const orders = orders_.data();
  Left sum;
  for (size_t i = 0; i < requests.size(); ++i) {
    if (far) {
      const uint64_t later =
          index.set_of(requests[std::min(i + kAhead, requests.size() - 1)].line());
      __builtin_prefetch(fours + later * kFours);
      if constexpr (kFours > 2) __builtin_prefetch(fours + later * kFours + 2);
      __builtin_prefetch(orders + later);
    }

    const uint64_t bits = requests[i].bits;
    const uint64_t line = bits >> Entry::kLineShift;
    const uint64_t set = index.set_of(line);
    Four *const ways = fours + set * kFours;
    const Lanes sought = {line, line, line, line};
    Lanes found = {};
    Lanes numbers = {1, 2, 3, 4};
    for (size_t four = 0; four < kFours; ++four, numbers += kLanes) {
      Lanes entries;
      std::memcpy(&entries, ways + four, sizeof entries);
      found |= static_cast<Lanes>(entries >> Entry::kLineShift == sought) & numbers;
    }
    const uint64_t hit = found[0] | found[1] | found[2] | found[3]; // the way and one, or none
    const uint64_t order = orders[set];
    const uint64_t way = hit != 0 ? hit - 1 : order >> last_digit & 15;
    uint64_t *const place = &ways->entries[0] + way;
    const uint64_t old = *place;

    const uint64_t returns = bits / LineRequest::kWriteBack & 1;
    const uint64_t dirties = (bits / LineRequest::kMakesDirty & 1) | returns;
    if constexpr (kMostlyHits)
      if (hit != 0 && returns == 0) [[likely]] {
        *((dirties & ~old) != 0 ? place : &spare_) = old | dirties;
        orders[set] = moved_to_front(order, way);
        missed[i] = 0;
        continue;
      }
    const uint64_t misses = hit == 0;
    const uint64_t arrives = misses & ~returns;
    const uint64_t fresh = line << Entry::kLineShift | (bits & LineRequest::kByAllocator) | dirties;
    const uint64_t now = arrives != 0 ? fresh : old | (dirties & ~misses);
    // A store would hold up who looks at the set next.
    *(now != old ? place : &spare_) = now;
    orders[set] = returns != 0 ? order : moved_to_front(order, way);
    missed[i] = static_cast<uint8_t>(arrives);

    const uint64_t goes = arrives & static_cast<uint64_t>(old < kEmpty);
    const uint64_t goes_dirty = goes & old;
    *handed = {bits & ~LineRequest::kMakesDirty, requests[i].owner};
    handed += misses;
    *handed = LineRequest::write_back(old);
    handed += goes_dirty;
    const uint64_t of_allocator = old / LineRequest::kByAllocator;
    sum.all += goes;
    sum.dirty += goes_dirty;
    sum.of_allocator += goes & of_allocator;
    sum.dirty_of_allocator += goes_dirty & of_allocator;
  }
  left = sum;
  return static_cast<size_t>(handed - first);
}

template <size_t kFours, bool kMostlyHits>
size_t PlainSets::run_plainly(PlainSets &sets, std::span<const LineRequest> requests,
                              LineRequest *handed, uint8_t *missed, Left &left) {
  return sets.run_all<kFours, kMostlyHits>(requests, handed, missed, left);
}

template <size_t kFours, bool kMostlyHits>
[[gnu::target("avx2,bmi,bmi2")]] size_t
PlainSets::run_by_vectors(PlainSets &sets, std::span<const LineRequest> requests,
                          LineRequest *handed, uint8_t *missed, Left &left) {
  return sets.run_all<kFours, kMostlyHits>(requests, handed, missed, left);
}

template <size_t kFours>
void PlainSets::choose() {
  run_ = run_plainly<kFours, false>;
  run_mostly_hits_ = run_plainly<kFours, true>;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
      __builtin_cpu_supports("bmi2")) {
    run_ = run_by_vectors<kFours, false>;
    run_mostly_hits_ = run_by_vectors<kFours, true>;
  }
}

PlainSets::PlainSets(uint64_t sets, uint32_t ways)
    : index_(sets), last_digit_(4 * (ways - 1)), orders_(sets, kInOrder),
      far_(sets * ways * sizeof(uint64_t) > kNear) {
  const size_t fours = std::max<size_t>(2, (ways + kLanes - 1) / kLanes);
  fours_.assign(sets * fours, {{kEmpty, kEmpty, kEmpty, kEmpty}});
  if (fours == 2)
    choose<2>();
  else if (fours == 3)
    choose<3>();
  else
    choose<4>();
}

// A branch that nearly always goes the same way costs less than doing without.
size_t PlainSets::run(std::span<const LineRequest> requests, LineRequest *handed, uint8_t *missed,
                      Left &left) {
  const Run run = mostly_hits_ ? run_mostly_hits_ : run_;
  const size_t count = run(*this, requests, handed, missed, left);
  mostly_hits_ = count < requests.size() / 16;
  return count;
}

} // namespace abut::sim
