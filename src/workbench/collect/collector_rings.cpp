// The part of the collector that reads rings: what libraries inside the program write, and not the Valgrind tool.
#include "collect/child.hpp"
#include "collect/rings/ring_drain.hpp"
#include "collect/rings/ring_reader.hpp"
#include "collect/rings/ring_source.hpp"
#include "collect/visit.hpp"

#include <algorithm>
#include <chrono>
#include <sched.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace abut::record {

namespace {

// Between two looks at rings: while much is written, what is to be read should still be in a cache; otherwise the
// longer a sleep is, the less it costs.
constexpr auto kNap = std::chrono::microseconds(300);
constexpr auto kLongestNap = std::chrono::microseconds(2000);
constexpr size_t kMuch = ring::kChunkWords / 2;
// Words that may have come out of rings and wait to be read, of a program that waits.
constexpr size_t kMostWaiting = size_t{1} << 22;
// A program that does not wait is slowed down by what goes on beside it: caches, memory and often a core are shared. So
// what came out of its rings is read once there is much of it, or it is old, or the program has ended. And one that
// does nothing but allocate is recorded in windows: between them what it makes is left in its rings, where what comes
// next finds no room.
constexpr size_t kWorthReading = size_t{1} << 23;
constexpr auto kOld = std::chrono::seconds(1);
constexpr auto kLook = std::chrono::milliseconds(5); // at whether that is so
constexpr double kWordsPerSecond = 12e6;
constexpr int kNice =
    10; // of who empties rings: where there is no processor to spare, rather less is recorded
constexpr double kTicksPerSecond = 2e9; // of processors, about
constexpr DrainBudget kWaits = {.held = kMostWaiting};
constexpr double kOverrunWordsPerSecond = 1e6;
constexpr DrainBudget kLosesRather = {.held = size_t{1} << 26,
                                      .words_per_tick = kWordsPerSecond / kTicksPerSecond,
                                      .burst = kWordsPerSecond / 8,
                                      .overrun_per_tick = kOverrunWordsPerSecond / kTicksPerSecond,
                                      .window = kOverrunWordsPerSecond / 10};

// This thread gets what processors have left over: neither the program nor who empties its rings is to wait for it.
struct Running {
  explicit Running(std::atomic<unsigned> &count) : count_(count) { ++count_; }
  Running(const Running &) = delete;
  Running &operator=(const Running &) = delete;
  ~Running() { --count_; }
  std::atomic<unsigned> &count_;
};

void give_way(bool yes) {
  const sched_param none{};
  sched_setscheduler(0, yes ? SCHED_IDLE : SCHED_OTHER, &none);
}

} // namespace

// Whether the process is to be recorded. It may be one that is, and has become another program.
bool Collector::admit_rings(Visit &visit, pid_t process) {
  const std::lock_guard lock(mutex_);
  if (const auto before = replaced_.find(process); before != replaced_.end())
    before->second->store(true);
  if (sessions_ != 0 && !options_.follow) return false;
  visit.session = ++sessions_;
  visit.hello.pid = process;
  replaced_[process] = visit.replaced;
  return true;
}

// Empties rings until the process has ended.
void Collector::drain_rings(const Visit &visit, const RingSource &source, RingDrain &drain,
                            bool waits) {
  if (!waits) setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
  auto nap = kNap;
  for (bool ended = false; !ended && source.header()->stopped.load() == 0;) {
    ended = source.has_ended() || visit.replaced->load() || is_interrupted();
    const size_t got = drain.drain(read_clock().ticks, ended);
    nap = waits || got > kMuch ? kNap : std::min(nap * 2, kLongestNap);
    if (!waits || got < ring::kMostRecord * 16) std::this_thread::sleep_for(nap);
  }
}

// Reads what came out of rings until nothing is to come any more. False where that failed.
bool Collector::read_rings(Visit &visit, RingDrain &drain, RingReader &rings, bool waits,
                           const std::atomic<bool> &failed) {
  auto read_last = std::chrono::steady_clock::now();
  for (bool last = false; !last;) {
    if (failed) {
      visit.outcome.problem = "there is no more memory for the collector";
      return false;
    }
    last = drain.horizon() == RingDrain::kNever;
    const auto now = std::chrono::steady_clock::now();
    if (!waits && !last && drain.held() < kWorthReading && now - read_last < kOld) {
      std::this_thread::sleep_for(kLook);
      continue;
    }
    read_last = now;
    const bool is_reading = read_safely(visit, [&] {
      for (size_t got = 1; got != 0;) {
        if (!waits && running_ == 0) give_way(false); // only the user waits now, for the trace
        if ((got = rings.read()) != 0) last = false;
      }
      return true;
    });
    if (!is_reading) return false;
    if (!last) std::this_thread::sleep_for(kNap);
  }
  return true;
}

void Collector::pump_rings(Channel &channel, Visit &visit) {
  const bool compiled = options_.recorder == Recorder::compiled;
  const std::vector<std::string> command = command_of(visit.hello.pid);
  const bool waits = compiled || options_.lossless;
  const RingSource source(channel, visit.session,
                          {waits, options_.follow, compiled, part_of(options_)});
  channel.close(); // of very many processes, few descriptors are held
  RingDrain drain(source.header(), waits ? kWaits : kLosesRather, slabs_);
  std::optional<Running> draining(std::in_place, running_);
  std::atomic<bool> failed{false};
  std::thread drainer([&] {
    try {
      drain_rings(visit, source, drain, waits);
    } catch (const std::bad_alloc &) {
      failed = true;
    }
    draining.reset();
  });
  if (!waits) give_way(true);
  RingReader rings(drain, [&](std::span<const uint64_t> words) { visit.reader->read(words); });
  const bool is_whole = read_safely(visit, [&] { return begin_session(visit, command); }) &&
                        read_rings(visit, drain, rings, waits, failed);
  if (!is_whole) warn(visit);
  source.header()->stopped.store(1);
  drainer.join();
  while (!source.has_ended() && !visit.replaced->load() && !is_interrupted())
    std::this_thread::sleep_for(kNap * 100);
  visit.outcome.replaced = visit.replaced->load();
  if (!compiled && visit.outcome.problem.empty() && source.header()->claimed == 0)
    visit.outcome.problem =
        "the program could not map what it shares with the recorder (ulimit -v)";
  visit.outcome.waited = waits;
  visit.outcome.dropped = drain.lost() + rings.damaged();
  if (visit.reader) visit.reader->writer().count_dropped(visit.outcome.dropped, 0);
}

} // namespace abut::record
