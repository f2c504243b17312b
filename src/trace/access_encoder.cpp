#include "trace/access_encoder.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace abut::trace {

namespace {

// Within an object, accesses this near to each other are told from one another.
constexpr unsigned kRegionShift = 8;
// Up to here an offset is taken for a field's, told by itself; beyond, for an array's, told by the step.
constexpr uint64_t kFields = 256;

// From here on, steps are left open.
constexpr uint64_t kWideObjectStep = 256;
constexpr uint64_t kWideOffsetStep = 8192;

uint64_t mixed(uint64_t value) {
  value *= 0x9e3779b97f4a7c15U;
  return value ^ (value >> 32);
}

uint64_t region_of(uint64_t object, uint64_t offset) {
  return mixed(object) ^ (offset >> kRegionShift);
}

uint64_t magnitude(uint64_t difference) { return zigzag(difference); }

} // namespace

AccessEncoder::AccessEncoder(bool with_codes) : window_(kWindow), with_codes_(with_codes) {
  clear();
}

void AccessEncoder::clear() {
  combinations_.clear();
  chosen_.clear();
  open_ = {};
  window_.assign(kWindow, Place{});
  guesses_.assign(size_t{1} << kGuessBits, 0);
  objects_.assign(size_t{1} << kSightBits, Sight{});
  regions_.assign(size_t{1} << kSightBits, Sight{});
  misses_.fill(0);
  last_without_object_ = 0;
  before_ = 0;
  thread_ = thread_began_ = seen_ = 0;
  threads_.clear();
}

void AccessEncoder::add(const Access &access) {
  const uint8_t kind = kind_of(access);
  uint32_t &guess = guesses_[mixed(before_ ^ access.code) >> (64 - kGuessBits)];
  if (!foretold(combinations_[guess], access, kind)) [[unlikely]]
    guess = combinations_.number_of(describe(access, kind));
  const uint32_t chosen = guess;
  if (access.thread != thread_) [[unlikely]]
    begin_thread(access.thread);
  place(count()) = {access.object, access.offset};
  chosen_.push_back(chosen);
  before_ = (before_ << 24) ^ chosen;
  if (with_codes_) codes_.add(access.code);
}

// All parts are compared at once: one branch. What was left open is never foretold: its steps must be told, even where
// they happen to be those that its column begins with.
bool AccessEncoder::foretold(const Combination &told, const Access &access, uint8_t kind) const {
  const Place &there = back(told.distance);
  const uint64_t from = told.relative ? there.offset : 0;
  return ((there.object + told.object_step - access.object) |
          (from + told.offset_step - access.offset) | (told.size ^ access.size) |
          (told.kind ^ kind) | static_cast<uint64_t>(told.open())) == 0;
}

Combination AccessEncoder::describe(const Access &access, uint8_t kind) {
  Combination told;
  told.kind = kind;
  told.size = access.size;
  catch_up();
  uint32_t distance = distance_to(regions_, region_of(access.object, access.offset));
  if (distance == 0) distance = distance_to(objects_, access.object);
  if (distance == 0) {
    distance = best_miss(access.object);
    for (size_t i = kMisses - 1; i > 0; --i) misses_[i] = misses_[i - 1];
    misses_[0] = count() + 1;
  }
  told.distance = distance;
  told.object_step = access.object - back(distance).object;
  told.relative = told.object_step == 0 && access.offset >= kFields;
  told.offset_step = access.offset - (told.relative ? back(distance).offset : 0);
  leave_open(told);
  return told;
}

// Steps so wide seldom come twice; each would be a combination of its own.
void AccessEncoder::leave_open(Combination &told) {
  if (magnitude(told.object_step) >= kWideObjectStep) {
    open_.objects.push_back(told.object_step);
    const Column column = narrowest(told.object_step);
    told.object_width = column.width;
    told.object_step = column.least;
  }
  if (magnitude(told.offset_step) >= kWideOffsetStep) {
    open_.offsets.push_back(told.offset_step);
    const Column column = narrowest(told.offset_step);
    told.offset_width = column.width;
    told.offset_step = column.least;
  }
}

// 0 where it was not seen within the window.
uint32_t AccessEncoder::distance_to(const Sights &sights, uint64_t key) const {
  const Sight &sight = sights[mixed(key) >> (64 - kSightBits)];
  if (sight.next == 0 || sight.key != key) return 0;
  const uint32_t distance = count() + 1 - sight.next;
  return distance <= kWindow ? distance : 0;
}

// Of the accesses that were not foretold either, the distance to the one whose object is nearest.
uint32_t AccessEncoder::best_miss(uint64_t object) const {
  uint32_t best = 1;
  uint64_t least = UINT64_MAX;
  for (const uint32_t next : misses_) {
    const uint32_t distance = count() + 1 - next;
    if (next == 0 || distance > kWindow) continue;
    const uint64_t step = magnitude(object - back(distance).object);
    if (step < least) std::tie(best, least) = std::pair(distance, step);
  }
  return best;
}

// Notes where things were last seen: of what came since the last time, the last few.
void AccessEncoder::catch_up() {
  const uint32_t now = count();
  for (uint32_t i = std::max(seen_, now - std::min(now, kWindow)); i < now; ++i) {
    const Place &there = place(i);
    objects_[mixed(there.object) >> (64 - kSightBits)] = {there.object, i + 1};
    const uint64_t region = region_of(there.object, there.offset);
    regions_[mixed(region) >> (64 - kSightBits)] = {region, i + 1};
  }
  seen_ = now;
}

void AccessEncoder::begin_thread(uint32_t thread) {
  end_thread();
  thread_ = thread;
}

void AccessEncoder::end_thread() {
  if (count() == thread_began_) return;
  put_varint(threads_, thread_);
  put_varint(threads_, count() - thread_began_);
  thread_began_ = count();
}

AccessColumns AccessEncoder::finish() {
  AccessColumns columns;
  combinations_.encode(chosen_, open_, columns);
  end_thread();
  columns.threads = std::move(threads_);
  columns.codes = codes_.finish();
  clear();
  return columns;
}

} // namespace abut::trace
