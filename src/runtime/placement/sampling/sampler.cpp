#include "placement/sampling/sampler.hpp"

#include "context/decoder.hpp"
#include "heap/heap.hpp"

#include "os/os.hpp"

#include <atomic>

namespace abut::sample {
namespace {

// So many times as long as a burst took passes before the next: what keeps the cost below a hundredth.
constexpr uint64_t kRestFactor = 160;
constexpr unsigned kMostSteps = 1000; // of a burst

Listener listener = nullptr;
uint64_t period = 0; // nanoseconds
Counts counted;
std::atomic_flag busy;
Accesses accesses;

void leave_the_heaps() {
  unsigned count = 0;
  for (unsigned i = 0; i < accesses.count; ++i)
    if (heap::may_hold_blocks(accesses.at[i])) accesses.at[count++] = accesses.at[i];
  accesses.count = count;
}

// Null when steps can be made ready, else why not.
const char *make_room() {
  constexpr size_t kSteps = size_t{1} << kLogReadySteps;
  auto *slots = static_cast<unsigned char *>(os::map_code(kSteps * ReadyStep::kSlotBytes));
  if (slots == nullptr) return "no memory may be written and run";
  auto *steps = static_cast<ReadyStep *>(os::map(round_up(kSteps * sizeof(ReadyStep), kPageBytes)));
  if (steps == nullptr) return "there is no memory";
  for (size_t i = 0; i < kSteps; ++i) steps[i].slot = slots + i * ReadyStep::kSlotBytes;
  keep_steps_in(steps);
  return nullptr;
}

uint64_t burst(os::Registers &registers) {
  if (busy.test_and_set(std::memory_order_acquire)) return period; // another thread is at it
  const uint64_t begun = os::nanoseconds();
  accesses.count = 0;
  const Outcome outcome = step_through(registers, kMostSteps, accesses);
  leave_the_heaps();
  listener(accesses);
  const uint64_t took = os::nanoseconds() - begun;
  ++counted.bursts;
  counted.steps += outcome.steps;
  counted.accesses += accesses.count;
  counted.nanoseconds += took;
  ++counted.ended[static_cast<unsigned>(outcome.end)];
  busy.clear(std::memory_order_release);
  return took * kRestFactor > period ? took * kRestFactor : period;
}

} // namespace

const char *start(Listener who, uint64_t microseconds) {
  if (const char *reason = context::prepare_decoder()) return reason;
  if (const char *reason = make_room()) return reason;
  listener = who;
  period = microseconds * 1000;
  return os::start_bursts(burst);
}

void join() { os::join_bursts(period); }

void stop() { os::stop_bursts(); }

const Counts &counts() { return counted; }

} // namespace abut::sample
