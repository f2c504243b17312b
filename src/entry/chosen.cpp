#include "entry/chosen.hpp"

#include "entry/calls.hpp"
#include "layers/areas.hpp"
#include "os/environment.hpp"
#include "os/message.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

namespace abut::chosen {
namespace {

using layers::Grain;
using layers::Release;

constexpr const char *kStandard = "vam";
constexpr size_t kLongestName = 64;

// One lock around everything: the papers' allocators are for one thread.
constinit os::SpinLock lock;
constinit allocators::Instance heap;
constinit const allocators::Entry *entry = nullptr;
constinit Grain grain = Grain::sixteen;

const allocators::Entry &chosen_entry() {
  char name[kLongestName];
  if (!os::environment_value("ABUT_HEAP", name, sizeof name)) std::strcpy(name, kStandard);
  if (const allocators::Entry *found = allocators::find_allocator(name, std::strlen(name)))
    return *found;
  os::Message message;
  message << "abut: ABUT_HEAP: no heap here is called " << name << " (`abut heaps` lists them)\n";
  message.write();
  os::abort_process();
}

void open_heap() {
  char text[kLongestName];
  if (os::environment_value("ABUT_ALIGN", text, sizeof text) && std::strcmp(text, "8") == 0)
    grain = Grain::eight;
  entry = &chosen_entry();
  if (!heap.open(*entry, grain)) os::fail("malloc", nullptr, "no memory for the heap's own state");
}

[[gnu::always_inline]] inline void ensure_open() {
  if (!heap.is_open()) [[unlikely]]
    open_heap();
}

// A lone thread may fork in a signal handler, in the midst of a request: the child then goes on with that request.
void before_fork() {
  if (os::single_threaded()) return;
  lock.lock();
  os::holds_every_lock = true;
}

void after_fork() {
  if (!os::holds_every_lock) return;
  os::holds_every_lock = false;
  lock.unlock();
}

__attribute__((constructor(101))) void start() {
  os::call_at_fork(before_fork, after_fork, after_fork);
}

[[noreturn]] void fail(const char *call, void *block, Release result) {
  os::fail(call, block,
           result == Release::already_free ? "the block is free already"
                                           : "not the start of a block");
}

// A block of fewer than sixteen bytes need not be at a multiple of sixteen.
size_t natural_align(size_t bytes) { return bytes <= 8 ? 8 : layers::bytes_of(grain); }

} // namespace

void *allocate(size_t bytes, size_t align) {
  if (bytes > kRequestMax || align > kRequestMax) return nullptr;
  bytes = std::max<size_t>(bytes, 1);
  const std::lock_guard guard(lock);
  ensure_open();
  return heap.allocate(bytes, std::max(align, natural_align(bytes)));
}

void *allocate_zeroed(size_t bytes) {
  void *block = allocate(bytes);
  // A mapping of its own is fresh.
  if (block != nullptr && layers::kind_of(block) != layers::AreaKind::none)
    std::memset(block, 0, bytes);
  return block;
}

void release(const char *call, void *block) {
  if (block == nullptr) return;
  Release result = Release::not_a_block;
  {
    const std::lock_guard guard(lock);
    ensure_open();
    result = heap.release(block);
  }
  if (result == Release::done) [[likely]]
    return;
  if (result == Release::not_a_block && layers::kind_of(block) == layers::AreaKind::none)
    return entry::release_foreign(call, block);
  fail(call, block, result);
}

size_t usable(const char *call, void *block) {
  size_t bytes = 0;
  {
    const std::lock_guard guard(lock);
    ensure_open();
    bytes = heap.usable(block);
  }
  if (bytes != 0) return bytes;
  if (layers::kind_of(block) == layers::AreaKind::none)
    return entry::foreign_usable_size(call, block);
  fail(call, block, Release::not_a_block);
}

void *resize(const char *call, void *block, size_t bytes) {
  if (layers::kind_of(block) == layers::AreaKind::none) {
    const std::lock_guard guard(lock);
    ensure_open();
    if (heap.usable(block) == 0) return entry::resize_foreign(call, block, bytes);
  }
  const size_t had = usable(call, block);
  // A block that shrinks to less than half is moved, so that the rest can serve others.
  if (bytes <= had && bytes > had / 2) return block;
  void *moved = allocate(bytes);
  if (moved == nullptr) return bytes <= had ? block : nullptr;
  std::memcpy(moved, block, std::min(had, bytes));
  release(call, block);
  return moved;
}

const char *name() { return chosen::entry != nullptr ? chosen::entry->name : ""; }

layers::Counts counts() {
  const std::lock_guard guard(lock);
  ensure_open();
  return heap.counts();
}

} // namespace abut::chosen
