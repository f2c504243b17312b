// malloc and its kin, and operator new and delete, on the one of the papers' allocators that ABUT_HEAP names: the same calls
// as malloc.cpp and operators.cpp have, without friends and fast paths. Statistics remain the C library's.
#include "allocators/layers/areas.hpp"
#include "allocators/offload/service.hpp"
#include "api/calls.hpp"
#include "api/export.hpp"
#include "api/new_handlers.hpp"
#include "os/environment.hpp"
#include "os/message.hpp"
#include "os/one_thread.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib> // before what it declares is defined
#include <cstring>
#include <dlfcn.h>
#include <mutex>

using namespace abut;
using entry::or_no_memory;
using layers::Grain;
using layers::Release;

namespace {

constexpr const char *kStandard = "vam";
constexpr const char *kOffload = "offload"; // a heap that another process serves
constexpr size_t kLongestName = 64;

enum class Mode : uint8_t { unopened, in_line, offloaded };

// The papers' allocators are for one thread, hence a lock, which a fork finds free. A heap that is offloaded has its own.
constinit allocators::Instance chosen;
constinit os::SpinLock heap_lock;
constinit Grain grain = Grain::sixteen;
constinit std::atomic<Mode> mode{Mode::unopened};

const allocators::Entry &entry_named(const char *name) {
  if (const allocators::Entry *found = allocators::find_allocator(name)) return *found;
  os::Message message;
  message << "abut: ABUT_HEAP: no heap here is called " << name << " (`abut heaps` lists them)\n";
  message.write();
  os::abort_process();
}

// Whether `name` is `offload` or `offload:NAME`; leaves the NAME.
bool take_offload(char *name) {
  const size_t length = std::strlen(kOffload);
  if (std::strncmp(name, kOffload, length) != 0) return false;
  if (name[length] != ':' && name[length] != '\0') return false;
  const char *inner = name[length] == ':' ? name + length + 1 : kStandard;
  std::memmove(name, inner, std::strlen(inner) + 1);
  return true;
}

void refuse(void *block, Release result);

Mode open_heap() {
  const std::lock_guard guard(heap_lock);
  if (mode.load(std::memory_order_relaxed) != Mode::unopened) return mode.load();
  char text[kLongestName];
  if (os::environment_value("ABUT_ALIGN", text, sizeof text) && std::strcmp(text, "8") == 0)
    grain = Grain::eight;
  if (!os::environment_value("ABUT_HEAP", text, sizeof text)) std::strcpy(text, kStandard);
  bool offloaded = take_offload(text);
  const allocators::Entry &entry = entry_named(text);
  // Where memory cannot be shared, the heap is served in line.
  offloaded = offloaded && offload::service.share();
  if (!chosen.open(entry, grain)) os::fail("malloc", nullptr, "no memory for the heap's own state");
  if (offloaded) offload::service.open(chosen, grain, refuse);
  mode.store(offloaded ? Mode::offloaded : Mode::in_line, std::memory_order_release);
  return mode.load();
}

[[gnu::always_inline]] inline bool is_served_elsewhere() {
  Mode now = mode.load(std::memory_order_acquire);
  if (now == Mode::unopened) [[unlikely]]
    now = open_heap();
  return now == Mode::offloaded;
}

// A lone thread may fork in a signal handler, in the midst of a request: the child then goes on with that request.
void before_fork() {
  if (is_served_elsewhere()) return offload::service.before_fork();
  if (os::has_one_thread()) return;
  heap_lock.lock();
  os::holds_every_lock = true;
}

void after_fork(bool in_child) {
  if (!os::holds_every_lock) return;
  if (is_served_elsewhere()) return offload::service.after_fork(in_child);
  os::holds_every_lock = false;
  heap_lock.unlock();
}

// Whether the program's requests come here; a tool that lists the heaps goes on with its own. Programs that take the address
// of malloc may have one for it that is theirs, of pvalloc none does.
bool is_in_use() {
  Dl_info ours, used;
  return dladdr(&chosen, &ours) != 0 && dladdr(dlsym(RTLD_DEFAULT, "pvalloc"), &used) != 0 &&
         ours.dli_fbase == used.dli_fbase;
}

__attribute__((constructor(101))) void start() {
  if (!is_in_use()) return;
  os::call_at_fork(
      before_fork, [] { after_fork(false); }, [] { after_fork(true); });
  if (is_served_elsewhere()) offload::service.start();
}

[[noreturn]] void fail(const char *call, void *block, Release result) {
  os::fail(call, block,
           result == Release::already_free ? "the block is free already"
                                           : "not the start of a block");
}

// Frees that wait are found to be wrong later than they were made.
void refuse(void *block, Release result) {
  if (result == Release::not_a_block && layers::kind_of(block) == layers::AreaKind::none)
    return entry::release_foreign("free", block);
  fail("free", block, result);
}

// A block of fewer than sixteen bytes need not be at a multiple of sixteen.
size_t natural_align(size_t bytes) { return bytes <= 8 ? 8 : layers::bytes_of(grain); }

// The bytes of a block of this heap; 0 for any other address.
size_t heap_usable(void *block) {
  if (is_served_elsewhere()) return offload::service.usable(block);
  const std::lock_guard guard(heap_lock);
  return chosen.usable(block);
}

} // namespace

namespace served {
namespace {

void *allocate_aligned(size_t align, size_t bytes) {
  if (bytes > heap::kRequestMax || align > heap::kRequestMax) return nullptr;
  bytes = std::max<size_t>(bytes, 1);
  const bool is_elsewhere = is_served_elsewhere(); // first: it may set the grain
  align = std::max(align, natural_align(bytes));
  if (is_elsewhere) return offload::service.allocate(bytes, align);
  const std::lock_guard guard(heap_lock);
  return chosen.allocate(bytes, align);
}
void *allocate(size_t bytes) { return allocate_aligned(1, bytes); }
void *aligned(size_t align, size_t bytes) { return or_no_memory(allocate_aligned(align, bytes)); }

// Any address but a block's ends the process with a message, or is the C library's (api/foreign.cpp).
void release(const char *call, void *block) {
  if (block == nullptr) return;
  if (is_served_elsewhere()) return offload::service.release(block);
  heap_lock.lock();
  const Release result = chosen.release(block);
  heap_lock.unlock();
  if (result == Release::done) [[likely]]
    return;
  if (result == Release::not_a_block && layers::kind_of(block) == layers::AreaKind::none)
    return entry::release_foreign(call, block);
  fail(call, block, result);
}

size_t usable(const char *call, void *block) {
  const size_t bytes = heap_usable(block);
  if (bytes != 0) return bytes;
  if (layers::kind_of(block) == layers::AreaKind::none)
    return entry::foreign_usable_size(call, block);
  fail(call, block, Release::not_a_block);
}

// Here or elsewhere; null, and the block as it was, where memory is exhausted.
void *resize(void *block, size_t bytes) {
  if (layers::kind_of(block) == layers::AreaKind::none && heap_usable(block) == 0)
    return entry::resize_foreign("realloc", block, bytes);
  const size_t had = usable("realloc", block);
  // A block that shrinks to less than half is moved, so that the rest can serve others.
  if (bytes <= had && bytes > had / 2) return block;
  void *moved = allocate(bytes);
  if (moved == nullptr) return bytes <= had ? block : nullptr;
  std::memcpy(moved, block, std::min(had, bytes));
  release("realloc", block);
  return moved;
}

} // namespace
} // namespace served

ABUT_EXPORT void *malloc(size_t bytes) { return or_no_memory(served::allocate(bytes)); }

ABUT_EXPORT void *calloc(size_t count, size_t each) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, each, &bytes)) return or_no_memory(nullptr);
  void *block = malloc(bytes);
  // A mapping of its own is fresh.
  if (block != nullptr && layers::kind_of(block) != layers::AreaKind::none)
    std::memset(block, 0, bytes);
  return block;
}

ABUT_EXPORT void *realloc(void *memory, size_t bytes) {
  if (memory == nullptr) return malloc(bytes);
  if (bytes != 0) return or_no_memory(served::resize(memory, bytes));
  served::release("realloc", memory);
  return nullptr;
}

// Pages that are free have gone back already, or never do, once all that was freed is, on another core, too.
ABUT_EXPORT int malloc_trim(size_t) {
  if (is_served_elsewhere()) return offload::service.settle(), 0;
  const std::lock_guard guard(heap_lock);
  chosen.settle();
  return 0;
}

ABUT_EXPORT_CXX void *operator new(size_t bytes) {
  return entry::allocate_or_throw([=] { return served::allocate(bytes); });
}
ABUT_EXPORT_CXX void *operator new[](size_t bytes) { return operator new(bytes); }

#include "api/derived_calls.hpp"
#include "api/every_delete.hpp"
#include "api/more_new.hpp"

// For tools: the heap at `index`, which begins with its name, and what and whose it is; null behind the last.
ABUT_EXPORT const allocators::Entry *abut_heap_at(size_t index) {
  return allocators::allocator_at(index);
}
