#include "probes/compiled/part.hpp"

#include "os/os.hpp"
#include "probes/ring/ring_writer.hpp"

#include <mutex>

namespace abut::compiled {

constinit bool counts_accesses = false;

namespace {

// Accesses that a thread counts by itself, before it adds them to the sum.
constexpr uint32_t kStep = 64;

// What <abut/trace_marks.h> asks for.
constexpr unsigned long kStart = 0x41420100;
constexpr unsigned long kStop = 0x41420101;

constinit os::SpinLock lock;
constinit std::atomic<uint64_t> counted{0}; // since the window began or ended
constinit std::atomic<uint64_t> limit{0};
constinit bool took_accesses = false; // before the fork that is under way

thread_local constinit uint32_t uncounted __attribute__((tls_model("initial-exec"))) = 0;
// Whether this thread holds the lock: a signal handler must not wait for it.
thread_local constinit bool changing __attribute__((tls_model("initial-exec"))) = false;

bool record_state(bool takes) {
  if (!ring::writer.begin()) return false;
  ring::writer.put(event(ring::Kind::recording, takes ? 1 : 0));
  ring::writer.end();
  ring::takes_accesses = takes;
  return true;
}

void begin_window(bool takes) {
  const ring::Header &header = *ring::shared;
  counted.store(0);
  limit.store(takes ? header.window_part : header.window_whole - header.window_part);
}

template <class Change>
void change_alone(Change change) {
  if (changing || ring::recording.load() != ring::Recording::on || !ring::shared->accesses) return;
  changing = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  {
    const std::lock_guard guard(lock);
    change();
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);
  changing = false;
}

void next_window() {
  change_alone([] {
    if (counted.load() < limit.load()) return; // another thread was here
    const bool takes = !ring::takes_accesses;
    if (record_state(takes)) begin_window(takes);
  });
}

void mark(bool takes) {
  change_alone([=] {
    if (ring::takes_accesses != takes && !record_state(takes)) return;
    counts_accesses = takes && ring::shared->window_whole != 0;
    if (counts_accesses) begin_window(takes);
  });
}

// After the recording has begun (probes/light/start.cpp).
__attribute__((constructor(103))) void start() {
  change_alone([] {
    if (!ring::takes_accesses)
      record_state(false);
    else if (ring::shared->window_whole != 0)
      begin_window(counts_accesses = true);
  });
}

} // namespace

void count_access() {
  if (++uncounted < kStep) return;
  const uint64_t now = counted.fetch_add(uncounted, std::memory_order_relaxed) + uncounted;
  uncounted = 0;
  if (now >= limit.load(std::memory_order_relaxed)) next_window();
}

void keep_part() {
  lock.lock();
  took_accesses = ring::takes_accesses;
}

void release_part() { lock.unlock(); }

void go_on_with_part() {
  release_part();
  change_alone([] {
    ring::takes_accesses = took_accesses;
    if (!took_accesses) record_state(false);
  });
}

} // namespace abut::compiled

// For the marks of <abut/trace_marks.h>, which call it where it is there.
extern "C" __attribute__((visibility("default"), used)) void
abut_trace_mark(unsigned long request) {
  if (request == abut::compiled::kStart) abut::compiled::mark(true);
  if (request == abut::compiled::kStop) abut::compiled::mark(false);
}
