// The contract of os.hpp on Linux, by system calls that do not go through anything that allocates.
#include "os/os.hpp"

#include "os/keep_errno.hpp"
#include "os/one_thread.hpp"
#include "os/plain_calls.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

// The lock of the list of all streams.
extern "C" {
__attribute__((weak)) void abut_lock_stream_list() __asm__("_IO_list_lock");
__attribute__((weak)) void abut_unlock_stream_list() __asm__("_IO_list_unlock");
__attribute__((weak)) void abut_reset_stream_list() __asm__("_IO_list_resetlock");
}

namespace abut::os {

thread_local constinit bool holds_every_lock = false;

namespace {

constinit const MemorySource *memory_source = nullptr;

} // namespace

void use_memory_source(const MemorySource *source) { memory_source = source; }

namespace {

constexpr int kMemory = MAP_PRIVATE | MAP_ANONYMOUS;

// Kernels before 4.17 take the flag for a hint: a mapping that they put elsewhere is taken back.
Mapped map_exactly(void *place, size_t bytes, int access, int flags) {
  void *memory = mmap(place, bytes, access, flags | MAP_FIXED_NOREPLACE, -1, 0);
  if (memory == place) return Mapped::done;
  if (memory == MAP_FAILED) return errno == EEXIST ? Mapped::occupied : Mapped::exhausted;
  munmap(memory, bytes);
  return Mapped::occupied;
}

} // namespace

void *map(size_t bytes) {
  KeepErrno keep;
  if (memory_source != nullptr) return memory_source->map(nullptr, bytes);
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kMemory, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

void *map_sparse(size_t bytes) {
  KeepErrno keep;
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kMemory | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  madvise(memory, bytes, MADV_NOHUGEPAGE); // where that is refused, the kernel has its way
  return memory;
}

Mapped map_at(void *place, size_t bytes) {
  KeepErrno keep;
  if (memory_source != nullptr)
    return memory_source->map(place, bytes) != nullptr ? Mapped::done : Mapped::exhausted;
  return map_exactly(place, bytes, PROT_READ | PROT_WRITE, kMemory);
}

Mapped reserve_at(void *place, size_t bytes) {
  KeepErrno keep;
  return map_exactly(place, bytes, PROT_NONE, kMemory | MAP_NORESERVE);
}

bool unmap(void *memory, size_t bytes) {
  KeepErrno keep;
  if (memory_source != nullptr && memory_source->unmap(memory, bytes)) return true;
  return munmap(memory, bytes) == 0;
}

bool resize_mapping(void *memory, size_t old_bytes, size_t new_bytes) {
  KeepErrno keep;
  if (mremap(memory, old_bytes, new_bytes, 0) != MAP_FAILED) return true;
  // Where the program has given advice about a part, that is a mapping of its own, and the whole cannot be made longer.
  if (errno != EFAULT || new_bytes < old_bytes) return false;
  return map_at(static_cast<char *>(memory) + old_bytes, new_bytes - old_bytes) == Mapped::done;
}

bool move_mapping(void *from, size_t old_bytes, void *to, size_t new_bytes) {
  KeepErrno keep;
  return mremap(from, old_bytes, new_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED;
}

bool discard(void *memory, size_t bytes) {
  KeepErrno keep;
  if (memory_source != nullptr && memory_source->discard(memory, bytes)) return true;
  return madvise(memory, bytes, MADV_DONTNEED) == 0;
}

void clear_pages(void *memory, size_t bytes) {
  if (!discard(memory, bytes)) std::memset(memory, 0, bytes);
}

void clear_sparse_pages(void *memory, size_t bytes) {
  constexpr size_t kPiece = 2 * MiB, kSampled = 16 * kPageBytes, kWords = 8;
  for (size_t done = 0; done < bytes; done += kPiece) {
    char *piece = static_cast<char *>(memory) + done;
    const size_t length = std::min(kPiece, bytes - done);
    size_t samples = 0, used = 0; // what was never written to is read without becoming resident
    for (size_t at = 0; at < length; at += kSampled, ++samples) {
      const auto *words = reinterpret_cast<const uint64_t *>(piece + at);
      used += std::any_of(words, words + kWords, [](uint64_t word) { return word != 0; });
    }
    if (2 * used < samples)
      clear_pages(piece, length);
    else
      std::memset(piece, 0, length);
  }
}

void populate(void *memory, size_t bytes) {
  KeepErrno keep;
  madvise(memory, bytes, MADV_POPULATE_WRITE);
}

void prefer_huge_pages(void *memory, size_t bytes) {
  KeepErrno keep;
  madvise(memory, bytes, MADV_HUGEPAGE);
}

void refuse_huge_pages(void *memory, size_t bytes) {
  KeepErrno keep;
  madvise(memory, bytes, MADV_NOHUGEPAGE);
}

size_t resident_bytes() {
  KeepErrno keep;
  const int file = plain_open("/proc/self/statm", O_RDONLY);
  if (file < 0) return 0;
  char text[128];
  const ssize_t length = plain_read(file, text, sizeof text - 1);
  plain_close(file);
  if (length <= 0) return 0;
  text[length] = '\0';
  char *rest = nullptr;
  std::strtoul(text, &rest, 10); // the first figure is the mapped size
  return std::strtoul(rest, nullptr, 10) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

// The kernel copies the set of signals before it looks at what is to be done with it, which is nothing.
bool is_readable(const void *memory) {
  KeepErrno keep;
  constexpr int kNoSuchChange = ~0;
  syscall(SYS_rt_sigprocmask, kNoSuchChange, memory, nullptr, sizeof(uint64_t));
  return errno == EINVAL;
}

uint64_t coarse_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000 + static_cast<uint64_t>(now.tv_nsec) / 1000000;
}

uint64_t nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

uint64_t random_number() {
  KeepErrno keep;
  uint64_t number = 0;
  if (syscall(SYS_getrandom, &number, sizeof number, GRND_NONBLOCK) == sizeof number) return number;
  // Early in the boot of a machine there is no entropy yet: the address layout and the clock must do.
  return (reinterpret_cast<uint64_t>(&number) ^ nanoseconds()) * 0x9e3779b97f4a7c15U;
}

namespace {

thread_local constinit bool holds_streams __attribute__((tls_model("initial-exec"))) = false;

// Where there is one thread the library takes no lock, and gives back none in the child.
void lock_streams() {
  if (has_one_thread() || &abut_lock_stream_list == nullptr) return;
  abut_lock_stream_list(); // it is recursive
  holds_streams = true;
}

void unlock_streams() {
  if (holds_streams) abut_unlock_stream_list();
  holds_streams = false;
}

void reset_streams() {
  if (holds_streams) abut_reset_stream_list();
  holds_streams = false;
}

} // namespace

constinit std::atomic<bool> fork_waits{false};

bool heeds_environment() { return getauxval(AT_SECURE) == 0; }

// The handlers that were registered last come first before a fork, and last after it.
void call_at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) {
  pthread_atfork(before, in_parent, in_child);
  pthread_atfork(lock_streams, unlock_streams, reset_streams);
}

unsigned process_id() { return static_cast<unsigned>(getpid()); }

void write_error(const char *text, size_t length) { write_file(STDERR_FILENO, text, length); }

int create_file(const char *path) {
  KeepErrno keep;
  return plain_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
}

bool write_file(int file, const char *text, size_t length) {
  KeepErrno keep;
  while (length > 0) {
    const ssize_t written = plain_write(file, text, length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text += written;
    length -= static_cast<size_t>(written);
  }
  return true;
}

void close_file(int file) {
  KeepErrno keep;
  plain_close(file);
}

void abort_process() { std::abort(); }

// A thread of a higher real-time priority than the one that it waits for keeps that from running until it sleeps.
void relax(unsigned tries) {
  constexpr unsigned kPauses = 64, kYields = 448;
  if (tries < kPauses) return __builtin_ia32_pause();
  KeepErrno keep;
  const timespec moment{0, 50'000};
  if (tries < kPauses + kYields)
    sched_yield();
  else
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &moment,
            nullptr); // not a point of cancellation
}

} // namespace abut::os
