// A library to preload: compares the chain of return addresses at each allocation with what backtrace() tells.
//
// What it finds goes into a file that all processes of a program map, so that those count that end without a word, too.
#include "chains/tally.hpp"
#include "context/chain_table.hpp"
#include "context/decoder.hpp"
#include "context/entry_stub.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using abut::Address;
using abut::context::chain_table;
using abut::context::Frame;
using chains::Tally;

extern "C" {
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t each);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);
void __libc_free(void *memory);
}

namespace {

constexpr unsigned kDeep = 8;
constexpr unsigned kOwnFrames = 4; // of this library, at most, that backtrace() begins with
constexpr uint64_t kAllOfThem = 20000;
constexpr uint64_t kEvery = 16; // of those that come later

Tally *tally = nullptr;
int (*c_library_backtrace)(void **, int) = nullptr;
thread_local constinit bool busy __attribute__((tls_model("initial-exec"))) = false;

void add(uint64_t &counter, uint64_t by = 1) { __atomic_fetch_add(&counter, by, __ATOMIC_RELAXED); }

// The frames of both, from the first that they share; how many of ours there are.
void record_difference(const Address *ours, unsigned length, void *const *theirs, unsigned count) {
  if (__atomic_fetch_add(&tally->different, 1, __ATOMIC_RELAXED) != 0) return;
  std::copy_n(ours, std::min(length, Tally::kShown), tally->ours);
  for (unsigned i = 0; i < std::min(count, Tally::kShown); ++i)
    tally->theirs[i] = reinterpret_cast<Address>(theirs[i]);
  Dl_info info{};
  if (dladdr(theirs[0], &info) != 0 && info.dli_fname != nullptr)
    std::strncpy(tally->where, info.dli_fname, sizeof tally->where - 1);
}

__attribute__((noinline)) void compare(Frame frame) {
  Address ours[kDeep];
  const unsigned length = chain_table.capture(frame, ours, kDeep);
  void *theirs[kDeep + kOwnFrames];
  const int their_count = c_library_backtrace(theirs, kDeep + kOwnFrames);
  void **const end = theirs + std::max(their_count, 0);
  void **first = std::find(theirs, end, reinterpret_cast<void *>(ours[0]));
  const auto count = static_cast<unsigned>(std::min<ptrdiff_t>(end - first, kDeep));
  add(tally->compared);
  add(tally->frames, length);
  const auto same = [](Address one, void *other) {
    return one == reinterpret_cast<Address>(other);
  };
  if (length > count || !std::equal(ours, ours + length, first, same))
    return record_difference(ours, length, first == end ? theirs : first, std::max(count, 1U));
  if (length < count) add(tally->shorter);
}

void look(Frame frame) {
  if (tally == nullptr || busy) return;
  busy = true;
  const int error = errno;
  chain_table.find(frame); // which also asks for wrappers
  static uint64_t met = 0;
  if (const uint64_t now = __atomic_fetch_add(&met, 1, __ATOMIC_RELAXED);
      now < kAllOfThem || now % kEvery == 0)
    compare(frame);
  errno = error;
  busy = false;
}

// backtrace() loads a library at its first call; other libraries have functions of its name.
__attribute__((constructor)) void begin() {
  busy = true;
  const char *path = std::getenv("CHAINS_TALLY");
  const int file = path != nullptr ? open(path, O_RDWR | O_CLOEXEC) : -1;
  void *library = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
  if (file >= 0 && library != nullptr) {
    c_library_backtrace =
        reinterpret_cast<decltype(c_library_backtrace)>(dlsym(library, "backtrace"));
    void *frame[1];
    c_library_backtrace(frame, 1);
    abut::context::map_decoder();
    void *shared = mmap(nullptr, sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (shared != MAP_FAILED) tally = static_cast<Tally *>(shared);
  }
  busy = false;
}

} // namespace

ABUT_ENTRY_STUB_1(malloc, watched_malloc);
ABUT_ENTRY_STUB_2(calloc, watched_calloc);
ABUT_ENTRY_STUB_2(realloc, watched_realloc);

#define WATCHED extern "C" __attribute__((visibility("hidden"), used)) void *

WATCHED watched_malloc(size_t bytes, const uintptr_t *sp, uintptr_t rbp) {
  look({sp, rbp});
  return __libc_malloc(bytes);
}

WATCHED watched_calloc(size_t count, size_t each, const uintptr_t *sp, uintptr_t rbp) {
  look({sp, rbp});
  return __libc_calloc(count, each);
}

WATCHED watched_realloc(void *memory, size_t bytes, const uintptr_t *sp, uintptr_t rbp) {
  look({sp, rbp});
  return __libc_realloc(memory, bytes);
}

// The others are there so that no second heap serves the program.
#define WATCHER_EXPORT extern "C" __attribute__((visibility("default")))

WATCHER_EXPORT void free(void *memory) noexcept { __libc_free(memory); }
WATCHER_EXPORT void *aligned_alloc(size_t align, size_t bytes) noexcept {
  return __libc_memalign(align, bytes);
}
WATCHER_EXPORT int posix_memalign(void **result, size_t align, size_t bytes) noexcept {
  *result = __libc_memalign(align, bytes);
  return *result != nullptr ? 0 : ENOMEM;
}
