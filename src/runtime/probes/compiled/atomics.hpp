// The atomic operations that compilers leave to the run-time library under -fsanitize=thread. Each is done, sequentially
// consistent whatever was asked for, which is never less; before it, ABUT_ATOMIC(address, bytes, reads, writes) is called.
#pragma once

#include <cstdint>

namespace abut::compiled {

using Int128 = __int128;

// Sixteen bytes at once take one instruction of their own, and no library: libatomic would have to be there.
inline Int128 swap_if_equal(volatile Int128 *at, Int128 expected, Int128 desired) {
  const auto low = static_cast<uint64_t>(desired);
  const auto high = static_cast<uint64_t>(desired >> 64);
  auto seen_low = static_cast<uint64_t>(expected);
  auto seen_high = static_cast<uint64_t>(expected >> 64);
  __asm__ volatile("lock cmpxchg16b %0"
                   : "+m"(*at), "+a"(seen_low), "+d"(seen_high)
                   : "b"(low), "c"(high)
                   : "cc", "memory");
  return static_cast<Int128>(static_cast<unsigned __int128>(seen_high) << 64 | seen_low);
}

template <class Number>
Number swap_if_equal(volatile Number *at, Number expected, Number desired) {
  __atomic_compare_exchange_n(at, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return expected;
}

// Replaces what is there by `change(it)`; what was there.
template <class Number, class Change>
Number replace(volatile Number *at, Change change) {
  Number seen = sizeof(Number) == 16 ? swap_if_equal(at, Number{0}, Number{0}) : *at;
  for (;;) {
    const Number found = swap_if_equal(at, seen, static_cast<Number>(change(seen)));
    if (found == seen) return seen;
    seen = found;
  }
}

} // namespace abut::compiled

// Types and names can stand in no parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define ABUT_FETCH(bits, type, name, expression)                                                   \
  ABUT_RT type __tsan_atomic##bits##_fetch_##name(volatile type *at, type by, int) {               \
    ABUT_ATOMIC(at, (bits) / 8, true, true);                                                       \
    return abut::compiled::replace(                                                                \
        at, [by](type seen) -> type { return static_cast<type>(expression); });                    \
  }

#define ABUT_COMPARE(bits, type, name)                                                             \
  ABUT_RT int __tsan_atomic##bits##_compare_exchange_##name(volatile type *at, type *expected,     \
                                                            type desired, int, int) {              \
    ABUT_ATOMIC(at, (bits) / 8, true, true);                                                       \
    const type wanted = *expected;                                                                 \
    const type seen = abut::compiled::swap_if_equal(at, wanted, desired);                          \
    if (seen != wanted) *expected = seen;                                                          \
    return seen == wanted ? 1 : 0;                                                                 \
  }

#define ABUT_ATOMICS(bits, type)                                                                   \
  ABUT_RT type __tsan_atomic##bits##_load(const volatile type *at, int) {                          \
    ABUT_ATOMIC(at, (bits) / 8, true, false);                                                      \
    if constexpr (sizeof(type) < 16) return __atomic_load_n(at, __ATOMIC_SEQ_CST);                 \
    return abut::compiled::swap_if_equal(const_cast<volatile type *>(at), type{0}, type{0});       \
  }                                                                                                \
  ABUT_RT void __tsan_atomic##bits##_store(volatile type *at, type value, int) {                   \
    ABUT_ATOMIC(at, (bits) / 8, false, true);                                                      \
    if constexpr (sizeof(type) < 16)                                                               \
      __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                               \
    else                                                                                           \
      abut::compiled::replace(at, [value](type) { return value; });                                \
  }                                                                                                \
  ABUT_RT type __tsan_atomic##bits##_exchange(volatile type *at, type value, int) {                \
    ABUT_ATOMIC(at, (bits) / 8, true, true);                                                       \
    return abut::compiled::replace(at, [value](type) { return value; });                           \
  }                                                                                                \
  ABUT_FETCH(bits, type, add, seen + by)                                                           \
  ABUT_FETCH(bits, type, sub, seen - by)                                                           \
  ABUT_FETCH(bits, type, and, seen &by)                                                            \
  ABUT_FETCH(bits, type, or, seen | by)                                                            \
  ABUT_FETCH(bits, type, xor, seen ^ by)                                                           \
  ABUT_FETCH(bits, type, nand, ~(seen & by))                                                       \
  ABUT_COMPARE(bits, type, strong)                                                                 \
  ABUT_COMPARE(bits, type, weak)                                                                   \
  ABUT_RT type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type expected,        \
                                                          type desired, int, int) {                \
    ABUT_ATOMIC(at, (bits) / 8, true, true);                                                       \
    return abut::compiled::swap_if_equal(at, expected, desired);                                   \
  }

// Unsigned, so that sums may overflow.
#define ABUT_ALL_ATOMICS                                                                           \
  ABUT_ATOMICS(8, uint8_t)                                                                         \
  ABUT_ATOMICS(16, uint16_t)                                                                       \
  ABUT_ATOMICS(32, uint32_t)                                                                       \
  ABUT_ATOMICS(64, uint64_t)                                                                       \
  ABUT_ATOMICS(128, abut::compiled::Int128)                                                        \
  ABUT_RT void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }        \
  ABUT_RT void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
// NOLINTEND(bugprone-macro-parentheses)
