#include "collect/session/session.hpp"

#include "collect/raw_stream.h"
#include "trace/rows.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace abut::record {

namespace {

// What a raw stream may ask for, so that a damaged one cannot ask for all memory there is.
constexpr uint64_t kMostThreads = uint64_t{1} << 32;
// Of threads with higher numbers, those are forgotten that there is nothing to know of: long runs have millions.
constexpr uint32_t kKeptThreads = 1 << 16;
constexpr uint64_t kMostBlocks = 1 << 26;
constexpr uint64_t kMostContexts = 1 << 28;

} // namespace

Session::Session(trace::Writer writer, Selection selection, ClockReading begin,
                 std::function<void(uint32_t)> forked)
    : writer_(std::move(writer)), selection_(selection), clock_(begin), forked_(std::move(forked)),
      modules_(writer_) {
  current_ = &thread(running_);
  writer_.site({}); // so that 0 is none of those in use
}

void Session::restore(const Snapshot &snapshot) {
  for (const Object &object : snapshot) {
    const uint64_t number = writer_.allocate({running_, 0, 0}, object.address, object.bytes, 0);
    objects_.extend(objects_.add(number, object.address, object.bytes), object.extent);
  }
}

Snapshot Session::snapshot() const {
  Snapshot snapshot;
  objects_.for_each_live([&](const Object &object) { snapshot.push_back(object); });
  return snapshot;
}

void Session::read(Words words) {
  clock_.observe(read_clock());
  while (!words.empty()) {
    const uint64_t head = words[0];
    const size_t count = abut_raw_count(head);
    require(count < words.size(), "a record is longer than what was handed over");
    const Words content = words.subspan(1, count);
    if ((head & ABUT_RAW_EVENT_BIT) == 0)
      read_accesses(head, content);
    else {
      sources_.skip(1 + count);
      pass_on();
      read_event(head, content);
    }
    words = words.subspan(1 + count);
  }
  pass_on();
}

// ---- events ----

void Session::read_event(uint64_t head, Words words) {
  // How many words each kind has; 255: it varies, and the one who reads it looks.
  static constexpr uint8_t kWords[] = {255, 0, 0, 4, 3, 2, 4, 0,   2, 255, 255,
                                       255, 2, 2, 3, 3, 1, 2, 255, 0, 3,   1};
  const unsigned kind = abut_raw_kind(head);
  const uint64_t small = abut_raw_small(head);
  require(kind < std::size(kWords), "an event of an unknown kind");
  require(kWords[kind] == 255 || kWords[kind] == words.size(), "an event of a wrong length");
  switch (kind) {
  case ABUT_RAW_ENTER: current_->inside = true; break;
  case ABUT_RAW_LEAVE: current_->inside = false; break;
  case ABUT_RAW_ALLOCATE: allocate(small, words); break;
  case ABUT_RAW_FREE: free(words[0], words[1], words[2]); break;
  case ABUT_RAW_RESIZE: begin_resize(words[1]); break;
  case ABUT_RAW_RESIZED: end_resize(small != 0, words); break;
  case ABUT_RAW_THREAD: run_thread(small); break;
  case ABUT_RAW_STACK: set_stack(small, words[0], words[1]); break;
  case ABUT_RAW_BLOCK: define_block(small, words); break;
  case ABUT_RAW_CONTEXT: define_context(words); break;
  case ABUT_RAW_MODULE: map_module(small, words); break;
  case ABUT_RAW_UNMAP: unmap(words[0], words[1]); break;
  case ABUT_RAW_DISCARD: writer_.discard(origin(words[0]), words[1], words[2]); break;
  case ABUT_RAW_KERNEL: kernel_access(words[0], words[1], small != 0); break;
  case ABUT_RAW_NEAR: hint_near(words); break;
  case ABUT_RAW_TOUCH: hint_touch(words); break;
  case ABUT_RAW_RECORDING: set_recording(small != 0, words[0]); break;
  case ABUT_RAW_USABLE: objects_.extend(objects_.find_live(words[0]), words[1]); break;
  case ABUT_RAW_INSTRUCTIONS: writer_.count_instructions(words[0]); break;
  case ABUT_RAW_FORK: forked_(static_cast<uint32_t>(small)); break;
  default: break; // of a program, more is known already
  }
}

trace::Origin Session::origin(uint64_t time, uint64_t raw_context) {
  const uint64_t index = raw_context / 4;
  return {running_, index < contexts_.size() ? contexts_[index] : 0, clock_.nanoseconds(time)};
}

// Its free was not recorded.
void Session::end_what_lies_at(uint64_t time, uint64_t address) {
  const Handle there = objects_.find_live(address);
  if (there == 0 || is_being_resized(there)) return;
  ++missed_frees_;
  free(time, address, 0);
}

void Session::allocate(uint64_t alignment, Words words) {
  const uint64_t address = words[1];
  end_what_lies_at(words[0], address);
  const uint64_t number =
      writer_.allocate(origin(words[0], words[3]), address, words[2], alignment);
  objects_.add(number, address, words[2]);
}

void Session::free(uint64_t time, uint64_t address, uint64_t caller) {
  const Handle handle = objects_.find_live(address);
  if (handle == 0) {
    // At a thread's end, glibc empties the thread's caches by calling free for each free block in them.
    if (!modules_.is_c_library(caller)) writer_.count_unmatched_free();
    return;
  }
  writer_.free(origin(time), objects_[handle].number);
  objects_.kill(handle);
}

// Where threads run beside each other, a block that is moved may have gone to another one before that is recorded.
bool Session::is_being_resized(Handle handle) const {
  return std::any_of(threads_.begin(), threads_.end(),
                     [&](const auto &thread) { return thread.second.resized == handle; });
}

void Session::begin_resize(uint64_t address) {
  current_->resized = objects_.find_live(address);
  current_->resized_number = objects_[current_->resized].number;
  if (current_->resized == 0) writer_.count_unmatched_free();
}

void Session::end_resize(bool unchanged, Words words) {
  const Handle handle = std::exchange(current_->resized, 0);
  const uint64_t number = std::exchange(current_->resized_number, 0);
  const uint64_t address = words[1];
  if (unchanged) return;
  // A program may free in another thread what it resizes.
  if (handle == 0 || !objects_[handle].live || objects_[handle].number != number) {
    if (address != 0) allocate(0, words);
    return;
  }
  if (address == 0) {
    writer_.free(origin(words[0], words[3]), objects_[handle].number);
    objects_.kill(handle);
    return;
  }
  const bool moved = address != objects_[handle].address;
  if (moved) end_what_lies_at(words[0], address);
  writer_.resize(origin(words[0], words[3]), objects_[handle].number, address, words[2], moved);
  objects_.move(handle, address, words[2]);
}

// ---- definitions ----

void Session::define_block(uint64_t count, Words words) {
  require(!words.empty() && count == words.size() - 1 && words[0] < kMostBlocks,
          "a block of code of a wrong length");
  require(places_.size() + count <= UINT32_MAX, "too many places in the code");
  trace::row_of(blocks_, words[0]) = {static_cast<uint32_t>(places_.size()),
                                      static_cast<uint32_t>(count)};
  for (const uint64_t word : words.subspan(1))
    places_.push_back({word >> 8,
                       static_cast<uint8_t>((word & 0xff) >> 1),
                       (word & ABUT_RAW_WRITES) != 0,
                       0,
                       {0, 0},
                       {0, 0}});
  make_room(count);
}

void Session::define_context(Words words) {
  require(words.size() >= 2 && words[0] / 4 < kMostContexts, "a context without frames");
  Words chain = words.subspan(1);
  while (!chain.empty() && modules_.is_recorders(chain[0])) chain = chain.subspan(1);
  std::vector<trace::Frame> frames;
  for (const uint64_t address : chain) frames.push_back(modules_.frame(address));
  // Past the first function there is no more chain, and what is taken for it lies in no module.
  while (frames.size() > 1 && frames.back().module == 0) frames.pop_back();
  trace::row_of(contexts_, words[0] / 4) = writer_.context(frames);
}

void Session::map_module(uint64_t path_length, Words words) {
  require(words.size() >= 3 && path_length <= (words.size() - 3) * sizeof(uint64_t),
          "a module with a path of a wrong length");
  const std::string path(reinterpret_cast<const char *>(words.data() + 3), path_length);
  modules_.mapped(words[0], words[1], words[2], path);
}

void Session::unmap(uint64_t address, uint64_t bytes) {
  objects_.forget_dead(address, bytes);
  modules_.unmapped(address, bytes);
}

// ---- threads ----

Session::Thread &Session::thread(uint64_t number) {
  require(number < kMostThreads, "a thread's number is out of all bounds");
  return threads_[static_cast<uint32_t>(number)];
}

void Session::run_thread(uint64_t number) {
  Thread &next = thread(number);
  if (running_ >= kKeptThreads && running_ != number && *current_ == Thread())
    threads_.erase(running_);
  running_ = static_cast<uint32_t>(number);
  current_ = &next;
}

void Session::set_stack(uint64_t number, uint64_t low, uint64_t high) {
  Thread &owner = thread(number);
  owner.stack_low = low;
  owner.stack_high = high;
}

// ---- hints and marks ----

void Session::hint_near(Words words) {
  const Object &object = objects_[objects_.find_live(words[1])];
  const Object &other = objects_[objects_.find(words[2])];
  if (object.live && other.live) writer_.near(origin(words[0]), object.number, other.number);
}

void Session::hint_touch(Words words) {
  const Object &object = objects_[objects_.find(words[1])];
  if (object.live) writer_.touch(origin(words[0]), object.number, words[2]);
}

void Session::set_recording(bool on, uint64_t time) {
  if (recording_ && !on) writer_.gap(origin(time), 0);
  recording_ = on;
}

} // namespace abut::record
