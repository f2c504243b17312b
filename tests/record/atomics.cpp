// Every atomic operation at every size, on blocks; prints what comes of them.
#include <atomic>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

template <class Number>
static void print(const char *name, Number number) {
  const auto wide = static_cast<unsigned __int128>(number);
  std::printf("%s %zu %016" PRIx64 "%016" PRIx64 "\n", name, sizeof(Number),
              static_cast<std::uint64_t>(wide >> 64), static_cast<std::uint64_t>(wide));
}

template <class Number>
static void use_all(Number big) {
  auto *at = static_cast<Number *>(std::aligned_alloc(16, 64));
  __atomic_store_n(at, big, __ATOMIC_RELEASE);
  print("store", __atomic_load_n(at, __ATOMIC_ACQUIRE));
  print("exchange", __atomic_exchange_n(at, static_cast<Number>(big / 3), __ATOMIC_ACQ_REL));
  print("add", __atomic_fetch_add(at, big, __ATOMIC_RELAXED));
  print("sub", __atomic_fetch_sub(at, static_cast<Number>(7), __ATOMIC_SEQ_CST));
  print("and", __atomic_fetch_and(at, static_cast<Number>(big / 5), __ATOMIC_SEQ_CST));
  print("or", __atomic_fetch_or(at, static_cast<Number>(big / 7), __ATOMIC_SEQ_CST));
  print("xor", __atomic_fetch_xor(at, big, __ATOMIC_SEQ_CST));
  print("nand", __atomic_fetch_nand(at, static_cast<Number>(big / 11), __ATOMIC_SEQ_CST));
  auto expected = static_cast<Number>(1);
  const auto fails =
      __atomic_compare_exchange_n(at, &expected, big, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  print("compare", static_cast<Number>(fails ? 1 : 0));
  print("expected", expected);
  const auto works =
      __atomic_compare_exchange_n(at, &expected, big, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  print("compare", static_cast<Number>(works ? 1 : 0));
  print("end", __atomic_load_n(at, __ATOMIC_SEQ_CST));
  std::free(at);
}

int main() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  use_all<std::uint8_t>(0xc5);
  use_all<std::uint16_t>(0xc5b7);
  use_all<std::uint32_t>(0xc5b7a391);
  use_all<std::uint64_t>(0xc5b7a39182736455);
  use_all<unsigned __int128>(static_cast<unsigned __int128>(0xc5b7a39182736455) << 64 | 0x1234567);
}
