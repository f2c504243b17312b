#include "probes/checked/quarantine.hpp"

#include "os/guard.hpp"
#include "probes/checked/canary.hpp"
#include "probes/checked/report.hpp"

#include <algorithm>
#include <mutex>

namespace abut::checked {
namespace {

constexpr size_t kMostBytes = 64 * MiB;
constexpr size_t kMostBlocks = 200000;
constexpr size_t kForbidden = 32 * KiB; // longer ones have pages of their own: blocks.cpp

// With all that the heap has to hold for it. One without memory has addresses and mappings alone, which have limits, too.
size_t weight(const Record &record) {
  const size_t bytes = record.end - record.base;
  return record.discarded ? std::max(bytes / 16, kForbidden) : bytes;
}

// A queue under the lock of the records.
struct Queue {
  Record *first = nullptr;
  Record *last = nullptr;
  size_t bytes = 0;
  size_t blocks = 0;

  void push(Record *record) {
    record->next = nullptr;
    (last != nullptr ? last->next : first) = record;
    last = record;
    bytes += weight(*record);
    ++blocks;
  }

  bool is_too_long() const { return bytes > kMostBytes || blocks > kMostBlocks; }

  // The oldest, or null.
  Record *pop() {
    if (first == nullptr) return nullptr;
    Record *record = first;
    first = record->next;
    if (first == nullptr) last = nullptr;
    bytes -= weight(*record);
    --blocks;
    record->state = State::leaving;
    return record;
  }
};
constinit Queue queue;

void push(Record *record) {
  const std::lock_guard guard(records.lock());
  record->state = State::held;
  queue.push(record);
}

Record *pop(bool only_surplus) {
  const std::lock_guard guard(records.lock());
  return only_surplus && !queue.is_too_long() ? nullptr : queue.pop();
}

bool release_held(const char *call, bool only_surplus) {
  bool found = false;
  while (Record *old = pop(only_surplus)) {
    look_at_held(call, *old);
    give_back(old);
    found = true;
  }
  return found;
}

} // namespace

Address written_to(const Record &record) {
  if (record.forbidden) return 0;
  const Span span{record.block, record.block + record.bytes};
  const Address at = span.first_other_than(kFreed);
  return at != span.end ? at : 0;
}

void look_at_held(const char *call, const Record &record) {
  const Address at = written_to(record);
  if (at == 0) return;
  report(call, at, "written after it was freed", &record);
  os::abort_process();
}

// Pages of its own are closed: reading is noticed, too, and their memory goes back to the system meanwhile.
void hold(Record *record) {
  if (record->bytes > kForbidden) {
    const Address begin = round_up(record->base, kPageBytes);
    // A mapping that cannot be split is filled instead.
    record->forbidden = os::forbid_access(begin, record->end - begin);
    record->discarded =
        record->forbidden && os::discard(reinterpret_cast<void *>(begin), record->end - begin);
  }
  if (!record->forbidden) Span{record->block, record->block + record->bytes}.fill(kFreed);
  push(record);
  release_held("free", true);
}

bool release_all_held() { return release_held("malloc", false); }

} // namespace abut::checked
