// The one table of call sites: where the blocks of each come from, by the return address of the calls.
//
// Readers take no lock. A site has one of two places on one cache line. A new site on a full line replaces one for which
// nothing is stored but that it is plain; else it stays unknown, and plain. A thread that reads a place while another
// thread replaces its site may take the other site's decision once: its block is then in another place than it might be,
// and otherwise a block like any other.
#pragma once

#include "base/policies.hpp"
#include "os/os.hpp"

#include <atomic>

namespace abut::sites {

// Where the blocks of a site's requests come from, until some policy is enabled again.
enum class Kind : uint8_t {
  undecided,     // each request is decided by itself
  plain,         // the plain heap
  beside,        // beside a friend, by the site's context
  always_beside, // the same, also after another policy is enabled
  pool,          // the pool of its context
};

struct Site {
  std::atomic<Address> plain_at{0}; // the return address of a plain site: one comparison decides
  std::atomic<Address> address{0};  // the return address
  std::atomic<Address> context{0};  // for friends, see friends/contexts.hpp; zero: not known yet
  std::atomic<Kind> kind{Kind::undecided};
  // For pools: some of its objects have a pool, or none will.
  std::atomic<bool> is_pooled{false}, is_quiet{false};

  bool is(Address site) const { return address.load(std::memory_order_acquire) == site; }
  Kind decided() const { return kind.load(std::memory_order_acquire); }
};
static_assert(2 * sizeof(Site) == kLineBytes);

// Instead of a context: friends place nothing there.
inline constexpr Address kPlain = 3;

class SiteTable {
public:
  static constexpr size_t kLines = 2048;

  // The site's place; null if it has none.
  [[gnu::always_inline]] Site *find(Address site) {
    Line &line = line_of(site);
    if (line.places[0].is(site)) return &line.places[0];
    return line.places[1].is(site) ? &line.places[1] : nullptr;
  }

  // The same, with a new place if need be; null where the line is full, or another thread changes the table.
  Site *claim(Address site);

  // Whether claim() would find a place.
  bool has_room(Address site) const;

  [[gnu::always_inline]] bool is_plain(Address site) const {
    const Line &line = line_of(site);
    return line.places[0].plain_at.load(std::memory_order_relaxed) == site ||
           line.places[1].plain_at.load(std::memory_order_relaxed) == site;
  }

  void decide(Site &site, Kind kind);

  // Makes a site undecided again.
  void reset(Address site);

  // The same for all sites, or those that another policy may change.
  enum class Which : uint8_t { all, what_may_change };
  void reset(Which which);

  // A thread that forks holds it.
  os::SpinLock &lock() { return lock_; }

private:
  struct alignas(kLineBytes) Line {
    Site places[2];
  };

  Line &line_of(Address site) { return lines_[site % kLines]; }
  const Line &line_of(Address site) const { return lines_[site % kLines]; }

  Line lines_[kLines]; // first, so that a place's offset takes no addition
  // Lines with a site that is decided, a bit each: reset() visits only those.
  std::atomic<uint64_t> decided_[kLines / 64]{};
  os::SpinLock lock_;
};

extern constinit SiteTable table __attribute__((visibility("hidden")));

} // namespace abut::sites
