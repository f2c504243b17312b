#include "probes/compiled/sites.hpp"

#include "os/os.hpp"
#include "probes/compiled/part.hpp"
#include "probes/ring/ring_writer.hpp"

namespace abut::compiled {

constinit std::atomic<uint64_t> sites[size_t{1} << kSiteBits];

namespace {

// The numbers below are for accesses whose place is not known: one for each size and way.
constexpr unsigned kFirstNumber = 512;
constexpr unsigned kNumbers = 1 << 16;
constexpr size_t kSlots = size_t{1} << 17;

struct Site {
  Address code = 0;    // 0: none
  uint16_t number = 0; // that the collector knows
  Traits traits;
};

constinit os::SpinLock lock;
constinit Site all[kSlots];
constinit unsigned next_number = kFirstNumber;
constinit bool is_announced[kFirstNumber];

// Whether this thread holds the lock: a signal handler must not wait for it.
thread_local constinit bool looking __attribute__((tls_model("initial-exec"))) = false;

bool announce(unsigned number, Traits traits, Address code) {
  if (!ring::writer.begin()) return false;
  const ring::Word small =
      number | ring::Word{traits.bytes} << 16 | ring::Word{traits.writes} << 24;
  ring::writer.put(event(ring::Kind::site, small), code);
  ring::writer.end();
  if (!os::has_one_thread()) ring::epoch.fetch_add(1, std::memory_order_relaxed);
  return true;
}

int64_t unplaced(Traits traits) {
  const auto number = static_cast<unsigned>(number_of(traits));
  if (!is_announced[number] && !announce(number, traits, 0)) return -1;
  is_announced[number] = true;
  return number;
}

Site &place_of(Address code, Traits traits) {
  size_t slot = code * 0x9e3779b97f4a7c15U >> 47;
  while (all[slot].code != 0 && (all[slot].code != code || all[slot].traits != traits))
    slot = (slot + 1) % kSlots;
  return all[slot];
}

int64_t find_or_make(Address code, Traits traits) {
  Site &site = place_of(code, traits);
  if (site.code == 0) {
    if (next_number == kNumbers) return unplaced(traits);
    if (!announce(next_number, traits, code)) return -1;
    site = {code, static_cast<uint16_t>(next_number++), traits};
  }
  sites[slot_of(code, traits)].store(uint64_t{site.number} << kNumberShift | key_of(code, traits),
                                     std::memory_order_relaxed);
  return site.number;
}

void forget_all() {
  for (auto &site : sites) site.store(0, std::memory_order_relaxed);
  for (Site &site : all)
    if (site.code != 0) site = {}; // what was never used stays without memory
  for (bool &site : is_announced) site = false;
  next_number = kFirstNumber;
}

void before_fork() {
  lock.lock();
  keep_part();
}
void after_fork_in_parent() {
  release_part();
  lock.unlock();
}
void after_fork_in_child() {
  lock.unlock();
  forget_all(); // the collector of this process knows nothing yet
  go_on_with_part();
}

// After the recording has begun (probes/light/start.cpp).
__attribute__((constructor(103))) void start() {
  if (ring::recording.load() == ring::Recording::on && ring::shared->accesses)
    os::call_at_fork(before_fork, after_fork_in_parent, after_fork_in_child);
}

} // namespace

int64_t look_up(Address code, Traits traits) {
  if (looking) return -1;
  looking = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  lock.lock();
  const int64_t number = find_or_make(code, traits);
  lock.unlock();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  looking = false;
  return number;
}

} // namespace abut::compiled
