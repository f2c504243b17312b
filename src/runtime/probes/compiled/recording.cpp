// The recorder's half of what compilers call under -fsanitize=thread: each access of a block goes into the thread's ring.
#include "heap/heap.hpp"
#include "probes/compiled/atomics.hpp"
#include "probes/compiled/entry_points.hpp"
#include "probes/compiled/part.hpp"
#include "probes/compiled/sites.hpp"
#include "probes/ring/ring_writer.hpp"

#include <cstring>

namespace abut::compiled {
namespace {

bool is_heaps(const volatile void *at) {
  return heap::segment_map.kind_at(reinterpret_cast<Address>(at)) != heap::SegmentKind::none;
}

[[gnu::noinline]] void record_block(const volatile void *at, Traits traits, Address code) {
  const int64_t site = site_of(code, traits);
  if (site < 0) [[unlikely]]
    return;
  ring::writer.access(static_cast<ring::Word>(site) << ring::kAddressBits |
                      reinterpret_cast<Address>(at));
}

[[gnu::always_inline]] inline void record(const volatile void *at, Traits traits, Address code) {
  if (!is_heaps(at)) return;
  if (ring::takes_accesses) record_block(at, traits, code);
  if (counts_accesses) [[unlikely]]
    count_access();
}

[[gnu::noinline]] void record_range(const void *at, size_t bytes, bool writes) {
  if (bytes == 0 || !is_heaps(at)) return;
  if (counts_accesses) count_access();
  if (!ring::takes_accesses || !ring::writer.begin()) return;
  ring::writer.put(event(ring::Kind::range, bytes | ring::Word{writes} << 48),
                   reinterpret_cast<Address>(at));
  ring::writer.end();
}

} // namespace
} // namespace abut::compiled

#define ABUT_CODE reinterpret_cast<abut::Address>(__builtin_return_address(0))
#define ABUT_RECORD(at, bytes, writes, code)                                                       \
  abut::compiled::record(at, {static_cast<uint8_t>(bytes), writes}, code)

#define ABUT_ATOMIC(at, bytes, reads, writes)                                                      \
  if (reads) ABUT_RECORD(at, bytes, false, ABUT_CODE);                                             \
  if (writes) ABUT_RECORD(at, bytes, true, ABUT_CODE)
#define ABUT_ACCESS(name, bytes, writes)                                                           \
  ABUT_RT void name(void *at) { ABUT_RECORD(at, bytes, writes, ABUT_CODE); }
#define ABUT_ACCESS_TWICE(name, bytes)                                                             \
  ABUT_RT void name(void *at) { ABUT_ATOMIC(at, bytes, true, true); }
#define ABUT_ACCESS_AT(name, bytes, writes)                                                        \
  ABUT_RT void name(void *at, void *code) {                                                        \
    ABUT_RECORD(at, bytes, writes, reinterpret_cast<abut::Address>(code));                         \
  }
#define ABUT_VPTR_UPDATE(name)                                                                     \
  ABUT_RT void name(void **at, void *) { ABUT_RECORD(at, 8, true, ABUT_CODE); }
#define ABUT_RANGE(name, writes)                                                                   \
  ABUT_RT void name(void *at, unsigned long bytes) {                                               \
    abut::compiled::record_range(at, bytes, writes);                                               \
  }
#define ABUT_RANGE_AT(name, writes)                                                                \
  ABUT_RT void name(void *at, unsigned long bytes, void *) {                                       \
    abut::compiled::record_range(at, bytes, writes);                                               \
  }

// The names are the compilers' and the linker's choice.
// NOLINTBEGIN(bugprone-reserved-identifier, bugprone-macro-parentheses)
ABUT_ALL_ACCESSES
ABUT_ALL_OTHERS
ABUT_ALL_ATOMICS

#define ABUT_COPY(name, function)                                                                  \
  ABUT_RT void *name(void *to, const void *from, size_t bytes) {                                   \
    abut::compiled::record_range(from, bytes, false);                                              \
    abut::compiled::record_range(to, bytes, true);                                                 \
    return std::function(to, from, bytes);                                                         \
  }
#define ABUT_FILL(name)                                                                            \
  ABUT_RT void *name(void *to, int value, size_t bytes) {                                          \
    abut::compiled::record_range(to, bytes, true);                                                 \
    return std::memset(to, value, bytes);                                                          \
  }

ABUT_COPY(__wrap_memcpy, memcpy)
ABUT_COPY(__wrap_memmove, memmove)
ABUT_COPY(__tsan_memcpy, memcpy)
ABUT_COPY(__tsan_memmove, memmove)
ABUT_FILL(__wrap_memset)
ABUT_FILL(__tsan_memset)
// NOLINTEND(bugprone-reserved-identifier, bugprone-macro-parentheses)
