// The one table of sites: what is known of each place in the code that allocates, by the return address of its calls.
//
// Read without a lock, written by a few relaxed stores: of two threads that meet at one place, one may act on what the other
// has just replaced, which never does harm: it costs a request its place, not its block. A site has one of two places,
// on one line. Who comes to a full line takes the place of a site that nothing is done for; else nothing is done for the
// newcomer.
#pragma once

#include "base/attention.hpp"
#include "os/os.hpp"

#include <atomic>

namespace abut::sites {

// What a request does without asking anybody, as long as nobody begins to look.
enum class Action : uint8_t {
  ask,
  plain,         // a block from the plain heap
  beside,        // a block beside a friend, by the site's context
  always_beside, // the same, also after others have begun to look
  pool,          // a block from the pool of its context
};

struct Site {
  std::atomic<Address> plain_at{
      0}; // the return address while the action is plain, so that one comparison tells
  std::atomic<Address> address{0};
  // What friends know of it, see friends/contexts.hpp; zero: nothing yet.
  std::atomic<Address> context{0};
  std::atomic<Action> action{Action::ask};
  // What pools know of it: some of its objects have a pool, or none will.
  std::atomic<bool> is_pooled{false}, is_quiet{false};

  bool is(Address site) const { return address.load(std::memory_order_acquire) == site; }
  Action acts() const { return action.load(std::memory_order_acquire); }
};
static_assert(2 * sizeof(Site) == kLineBytes);

// At the end of what friends know of a site: nothing is placed there.
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

  // The same, and takes a place where it has none; null where the line is full, or another thread is about it.
  Site *claim(Address site);

  // Whether claim() would find one.
  bool has_room(Address site) const;

  [[gnu::always_inline]] bool is_plain_at_once(Address site) const {
    const Line &line = line_of(site);
    return line.places[0].plain_at.load(std::memory_order_relaxed) == site ||
           line.places[1].plain_at.load(std::memory_order_relaxed) == site;
  }

  // From now on.
  void act(Site &site, Action action);
  void ask_again(Address site);

  // Somebody begins to look: all ask again, but for those that are always placed, or also those.
  enum class Which : uint8_t { all, what_may_change };
  void ask_again(Which which);

  // A thread that forks holds it.
  os::SpinLock &lock() { return lock_; }

private:
  struct alignas(kLineBytes) Line {
    Site places[2];
  };

  Line &line_of(Address site) { return lines_[site % kLines]; }
  const Line &line_of(Address site) const { return lines_[site % kLines]; }

  Line lines_[kLines]; // first, so that a place's offset takes no addition
  // Lines on which a site does not ask: few, all of which are to be found.
  std::atomic<uint64_t> acting_[kLines / 64]{};
  os::SpinLock lock_;
};

extern constinit SiteTable table __attribute__((visibility("hidden")));

} // namespace abut::sites
