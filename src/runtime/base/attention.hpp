// Whether a layer above the heap wants to see requests before the heap serves them. One byte for all of them, so that a
// request that nobody looks at pays one comparison.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace abut {

enum class Looker : uint8_t { near = 1, plan = 2, group = 4 };

inline constinit std::atomic<uint8_t> attention __attribute__((visibility("hidden"))){0};

// Requests of up to so many bytes are served from the plain heap without a further question: zero while somebody looks, so
// that malloc asks that and whether a request is small in one comparison.
inline constexpr size_t kPlainMost = 512;
inline constinit std::atomic<size_t> plain_limit __attribute__((visibility("hidden"))){kPlainMost};

// Who looked at one time.
struct Lookers {
  uint8_t who;
  bool any() const { return who != 0; }
  bool has(Looker one) const { return (who & static_cast<uint8_t>(one)) != 0; }
};
inline Lookers lookers() { return {attention.load(std::memory_order_relaxed)}; }
inline bool somebody_looks() { return lookers().any(); }
inline bool looks(Looker who) { return lookers().has(who); }

// Sites, by the return address of their calls, of whose requests it is known at once what is to be done, as long as nobody
// begins to look: one look tells, where each looker would ask a table of its own. Of two at one place the later one stands
// there: itself where nobody wants its requests, else where what is known of it begins, halved and with the top bit set:
// to double that, which is one instruction, tells whether the bit was set, and where.
inline constexpr size_t kSitesAtOnce = 4096;
inline constinit std::atomic<uint64_t> sites_at_once[kSitesAtOnce]
    __attribute__((visibility("hidden"))){};

// What a request goes by, which may be told what is known of its site. The calls that have ways bring the addresses of
// theirs along, each in a table of the same order, before anybody looks.
using Way = void *(size_t bytes, uint64_t known);
using Ways = Way *const[];
enum class Call : uint8_t { malloc, operator_new };
inline constexpr size_t kCalls = 2;
inline constinit const Ways *ways_of[kCalls] __attribute__((visibility("hidden"))){};

// Begins what is known of a site, which stays there for good.
struct KnownSite {
  std::atomic<uint64_t> site{0};
  std::atomic<Way *> ways[kCalls]{};
  bool lasts = false; // known while others are looked at, too

  // Its requests go that way from now on.
  void lead(size_t way) {
    for (size_t call = 0; call < kCalls; ++call)
      if (ways_of[call] != nullptr)
        ways[call].store((*ways_of[call])[way], std::memory_order_relaxed);
  }
  Way *way_of(Call call) const {
    return ways[static_cast<size_t>(call)].load(std::memory_order_relaxed);
  }
};
constexpr uint64_t kIsKnown = uint64_t{1} << 63;

struct AtOnce {
  uint64_t site;
  uint64_t stands; // where the site would

  // Nobody has anything to do with the site.
  bool is_idle() const { return stands == site; }
  // What is known of it; null if nothing is.
  KnownSite *known() const {
    uint64_t begin = 0;
    if (!__builtin_add_overflow(stands, stands, &begin)) return nullptr;
    auto *known = reinterpret_cast<KnownSite *>(begin);
    return known->site.load(std::memory_order_relaxed) == site ? known : nullptr;
  }
  bool lasts() const {
    return (stands & kIsKnown) != 0 && reinterpret_cast<KnownSite *>(stands << 1)->lasts;
  }
};
[[gnu::always_inline]] inline AtOnce at_once(uint64_t site) {
  return {site, sites_at_once[site % kSitesAtOnce].load(std::memory_order_relaxed)};
}
[[gnu::always_inline]] inline bool is_idle(uint64_t site) { return at_once(site).is_idle(); }
inline void remember_idle(uint64_t site) {
  sites_at_once[site % kSitesAtOnce].store(site, std::memory_order_relaxed);
}
inline void remember_at_once(KnownSite &known) {
  const uint64_t site = known.site.load(std::memory_order_relaxed);
  sites_at_once[site % kSitesAtOnce].store(reinterpret_cast<uintptr_t>(&known) >> 1 | kIsKnown,
                                           std::memory_order_release);
}
inline void forget_at_once(uint64_t site) {
  sites_at_once[site % kSitesAtOnce].store(0, std::memory_order_relaxed);
}
enum class Forget : uint8_t { all, what_may_change };
inline void forget_sites_at_once(Forget which) {
  for (auto &place : sites_at_once) {
    const AtOnce told{0, place.load(std::memory_order_relaxed)};
    if (told.stands != 0 && (which == Forget::all || !told.lasts()))
      place.store(0, std::memory_order_relaxed);
  }
}

inline void set_plain_limit() {
  uint8_t who = 0;
  do {
    who = attention.load(std::memory_order_seq_cst);
    plain_limit.store(who == 0 ? kPlainMost : 0, std::memory_order_seq_cst);
  } while (attention.load(std::memory_order_seq_cst) != who);
}

inline void begin_to_look(Looker who) {
  forget_sites_at_once(Forget::what_may_change);
  attention.fetch_or(static_cast<uint8_t>(who), std::memory_order_relaxed);
  set_plain_limit();
}
inline void end_to_look(Looker who) {
  attention.fetch_and(static_cast<uint8_t>(~static_cast<uint8_t>(who)), std::memory_order_relaxed);
  set_plain_limit();
}

} // namespace abut
