#include "probes/checked/blocks.hpp"

#include "api/calls.hpp"
#include "heap/found.hpp"
#include "os/guard.hpp"
#include "probes/checked/canary.hpp"
#include "probes/checked/quarantine.hpp"
#include "probes/checked/report.hpp"
#include "probes/checked/settings.hpp"

#include <algorithm>
#include <cstdio>
#include <mutex>

namespace abut::checked {
namespace {

constexpr size_t kLeast = 16;         // bytes before a block, and behind it
constexpr size_t kMost = kPageBytes;  // of either that are looked at
constexpr size_t kGuarded = 32 * KiB; // longer ones have pages of their own

// Each splits a mapping, and threads and libraries need some of the 65,530 that a process has.
constexpr size_t kMostGuards = 16 * KiB;
constinit size_t guards = 0;

Span front_of(const Record &record) {
  return {std::max(record.base, record.block - std::min(record.block, Address{kMost})),
          record.block};
}
Span tail_of(const Record &record) { return {record.block + record.bytes, record.end}; }

// Where the block lies in what the heap hands out.
struct Place {
  Address base = 0;
  Address block = 0;
  Address end = 0;
  bool has_pages = false;
};

Place place_in_pages(size_t align, size_t bytes) {
  const size_t span = round_up(bytes, kPageBytes);
  const size_t lead = std::max(align, kPageBytes);
  auto *base = heap::allocate_aligned(lead, lead + span + kPageBytes);
  if (base == nullptr) return {};
  const auto begin = reinterpret_cast<Address>(base);
  const size_t gap = align <= kPageBytes ? span - round_up(bytes, std::max(align, kLeast)) : 0;
  return {begin, begin + lead + gap, begin + lead + span, true};
}

Place place(size_t align, size_t bytes) {
  if (bytes > heap::kRequestMax || align > heap::kRequestMax) return {};
  if (bytes > kGuarded) return place_in_pages(align, bytes);
  const size_t around = settings().tail ? kLeast : 0;
  const size_t front = settings().tail ? std::max(align, kLeast) : 0;
  const size_t whole = std::max<size_t>(front + bytes + around, 1);
  void *base = heap::allocate_aligned(align, whole);
  if (base == nullptr) return {};
  const auto begin = reinterpret_cast<Address>(base);
  const size_t usable = std::min(heap::usable_size("malloc", base), front + bytes + kMost);
  return {begin, begin + front, begin + usable, false};
}

Record *remember(const Place &place, size_t bytes, const Callers &callers) {
  const std::lock_guard guard(records.lock());
  Record *record = records.add(place.block);
  if (record == nullptr) return nullptr;
  record->bytes = bytes;
  record->base = place.base;
  record->end = place.end;
  record->allocated = callers;
  if (!place.has_pages || !settings().tail) return record;
  record->guarded = guards < kMostGuards && os::forbid_access(place.end, kPageBytes);
  if (record->guarded) {
    ++guards;
  } else {
    record->end += kPageBytes;
    Span{place.end, record->end}.fill(kAround);
  }
  return record;
}

// The block around an address, or the one that it is closest behind: for messages alone.
const Record *around(Address address) {
  const Record *found = nullptr;
  records.each([&](const Record &record) {
    if (address >= record.base && address < record.end + (record.guarded ? kPageBytes : 0))
      found = &record;
  });
  return found;
}

// An address that has no record: a block of another allocator's, or a fault.
void handle_unknown(const char *call, void *memory, context::Frame frame) {
  const auto address = reinterpret_cast<Address>(memory);
  if (heap::may_hold_blocks(address) ||
      heap::find_block(call, memory).where != heap::Where::foreign)
    report(call, address, "no block begins here, or it was freed before", around(address));
  else if (entry::is_of_c_library(memory))
    return;
  else
    report(call, address, entry::kForeign, nullptr);
  report_callers("called by", callers_of(frame));
  os::abort_process();
}

const char *fault_around(const Record &record) {
  if (!settings().tail) return nullptr;
  const Span front = front_of(record);
  if (front.first_other_than(kAround) != front.end) return "written before the begin";
  const Span tail = tail_of(record);
  return tail.first_other_than(kAround) != tail.end ? "written past the end" : nullptr;
}

void look_around(const char *call, const Record &record) {
  const char *fault = fault_around(record);
  if (fault == nullptr) return;
  report(call, record.block, fault, &record);
  os::abort_process();
}

// The record, which is the calling thread's from now on; null where it is no block of ours.
Record *take(const char *call, void *memory, context::Frame frame) {
  const Callers callers = callers_of(frame);
  Record *record = nullptr;
  {
    const std::lock_guard guard(records.lock());
    record = records.find(reinterpret_cast<Address>(memory));
    if (record == nullptr) return nullptr;
    if (record->state == State::live) {
      record->state = State::leaving;
      record->freed = callers;
      return record;
    }
  }
  report(call, record->block, "freed twice", record);
  report_callers("freed again by", callers);
  os::abort_process();
}

void let_go(Record *record) {
  if (settings().quarantine)
    hold(record);
  else
    give_back(record);
}

bool looks_right(const Record &record) {
  switch (record.state) {
  case State::live: return fault_around(record) == nullptr;
  case State::held: return written_to(record) == 0;
  case State::leaving: return true;
  }
  return true;
}

} // namespace

void give_back(Record *record) {
  const Address base = record->base;
  const Address end = record->end + (record->guarded ? kPageBytes : 0);
  const Address closed = record->forbidden ? round_up(base, kPageBytes) : record->end;
  const bool opened =
      !(record->guarded || record->forbidden) || os::allow_access(closed, end - closed);
  {
    const std::lock_guard guard(records.lock());
    guards -= record->guarded;
    records.remove(record);
  }
  // What stays closed cannot be anybody's block any more.
  if (opened) entry::release("free", reinterpret_cast<void *>(base));
}

namespace {

void *try_to_allocate(size_t align, size_t bytes, const Callers &callers) {
  const Place found = place(align, bytes);
  if (found.base == 0) return nullptr;
  // Before there is a record: at exit, another thread may look at all that have one.
  if (settings().tail) {
    Record around;
    around.block = found.block;
    around.bytes = bytes;
    around.base = found.base;
    around.end = found.end;
    front_of(around).fill(kAround);
    tail_of(around).fill(kAround);
  }
  if (remember(found, bytes, callers) == nullptr) {
    entry::release("malloc", reinterpret_cast<void *>(found.base));
    return nullptr;
  }
  return reinterpret_cast<void *>(found.block);
}

} // namespace

// What is held goes back to the heap before the program is refused anything.
void *allocate(size_t align, size_t bytes, context::Frame frame) {
  const Callers callers = callers_of(frame);
  void *memory = try_to_allocate(align, bytes, callers);
  if (memory != nullptr || bytes > heap::kRequestMax || align > heap::kRequestMax) return memory;
  return release_all_held() ? try_to_allocate(align, bytes, callers) : nullptr;
}

void *allocate_zeroed(size_t bytes, context::Frame frame) {
  void *memory = allocate(1, bytes, frame);
  if (memory != nullptr) heap::clear(memory, bytes);
  return memory;
}

void release(const char *call, void *memory, context::Frame frame) {
  if (memory == nullptr) return;
  Record *record = take(call, memory, frame);
  if (record == nullptr) {
    handle_unknown(call, memory, frame);
    return entry::release(call, memory);
  }
  look_around(call, *record);
  let_go(record);
}

// Always to another place, so that what still points to the old one is found.
void *resize(const char *call, void *memory, size_t bytes, context::Frame frame) {
  Record *record = take(call, memory, frame);
  if (record == nullptr) {
    handle_unknown(call, memory, frame);
    return entry::resize_foreign(call, memory, bytes);
  }
  look_around(call, *record);
  void *moved = allocate(1, bytes, frame);
  if (moved == nullptr) {
    record->freed = {};
    record->state = State::live;
    return nullptr;
  }
  std::memcpy(moved, memory, std::min(record->bytes, bytes));
  let_go(record);
  return moved;
}

size_t usable_size(const char *call, void *memory, context::Frame frame) {
  const Record *record = nullptr;
  {
    const std::lock_guard guard(records.lock());
    record = records.find(reinterpret_cast<Address>(memory));
    if (record != nullptr && record->state == State::live) return record->bytes;
  }
  if (record == nullptr) {
    handle_unknown(call, memory, frame);
    return entry::foreign_usable_size(call, memory);
  }
  report(call, record->block, "used after it was freed", record);
  report_callers("called by", callers_of(frame));
  os::abort_process();
}

// Out of the lock before anything is said: the program may have a handler of SIGABRT that allocates.
void look_at_all() {
  const Record *wrong = nullptr;
  {
    const std::lock_guard guard(records.lock());
    records.each([&](const Record &record) {
      if (!looks_right(record)) wrong = &record;
    });
  }
  if (wrong == nullptr) return;
  // What the program has written is not lost. Other streams may belong to threads that wait for input.
  if (ftrylockfile(stdout) == 0) std::fflush(stdout);
  if (wrong->state == State::held) look_at_held("exit", *wrong);
  look_around("exit", *wrong);
}

void explain_fault(Address address, Address code) {
  const Record *record = around(address);
  if (record == nullptr) return;
  const bool is_live = record->state == State::live;
  if (is_live && address < record->end) return; // the program has closed that page itself
  const char *fault = is_live ? "past the end" : "used after it was freed";
  report("access", address, fault, record);
  report_callers("accessed by", {{code + 1}});
}

} // namespace abut::checked
