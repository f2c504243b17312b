// The contract of os.hpp on Linux, by system calls that do not go through anything that allocates.
#include "os/os.hpp"

#include "os/keep_errno.hpp"
#include "os/plain_calls.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

// Since glibc 2.32: false from the first thread's creation on.
extern "C" __attribute__((weak)) char __libc_single_threaded;

namespace abut::os {

thread_local constinit bool holds_every_lock = false;

namespace {

constinit const MemorySource *memory_source = nullptr;

} // namespace

void use_memory_source(const MemorySource *source) { memory_source = source; }

void *map(void *hint, size_t bytes) {
  KeepErrno keep;
  if (memory_source != nullptr) return memory_source->map(hint, bytes);
  void *memory =
      mmap(hint, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

void *map_aligned(size_t bytes, size_t align) {
  void *memory = map(nullptr, bytes);
  if (memory == nullptr || reinterpret_cast<Address>(memory) % align == 0) return memory;
  unmap(memory, bytes);
  const size_t padded = bytes + align - kPageBytes;
  if (padded < bytes) return nullptr;
  memory = map(nullptr, padded);
  if (memory == nullptr) return nullptr;
  const Address begin = reinterpret_cast<Address>(memory);
  const Address aligned = round_up(begin, align);
  if (aligned != begin) unmap(memory, aligned - begin);
  const Address tail = aligned + bytes;
  if (tail != begin + padded) unmap(reinterpret_cast<void *>(tail), begin + padded - tail);
  return reinterpret_cast<void *>(aligned);
}

void unmap(void *memory, size_t bytes) {
  KeepErrno keep;
  if (memory_source != nullptr && memory_source->unmap(memory, bytes)) return;
  munmap(memory, bytes);
}

bool resize_mapping(void *memory, size_t old_bytes, size_t new_bytes) {
  KeepErrno keep;
  return mremap(memory, old_bytes, new_bytes, 0) != MAP_FAILED;
}

bool move_mapping(void *from, size_t old_bytes, void *to, size_t new_bytes) {
  KeepErrno keep;
  return mremap(from, old_bytes, new_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED;
}

void discard(void *memory, size_t bytes) {
  KeepErrno keep;
  if (memory_source != nullptr && memory_source->discard(memory, bytes)) return;
  madvise(memory, bytes, MADV_DONTNEED);
}

void populate(void *memory, size_t bytes) {
  KeepErrno keep;
  madvise(memory, bytes, MADV_POPULATE_WRITE);
}

void prefer_huge_pages(void *memory, size_t bytes) {
  KeepErrno keep;
  madvise(memory, bytes, MADV_HUGEPAGE);
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

bool is_mapped(const void *memory) {
  KeepErrno keep;
  unsigned char resident;
  const Address page = round_down(reinterpret_cast<Address>(memory), kPageBytes);
  return mincore(reinterpret_cast<void *>(page), kPageBytes, &resident) == 0;
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

uint64_t random_number() {
  KeepErrno keep;
  uint64_t number = 0;
  if (syscall(SYS_getrandom, &number, sizeof number, GRND_NONBLOCK) == sizeof number) return number;
  // Early in the boot of a machine there is no entropy yet: the address layout and the clock must do.
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (reinterpret_cast<uint64_t>(&number) ^ static_cast<uint64_t>(now.tv_nsec)) *
         0x9e3779b97f4a7c15U;
}

void call_at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) {
  pthread_atfork(before, in_parent, in_child);
}

bool single_threaded() { return &__libc_single_threaded != nullptr && __libc_single_threaded != 0; }

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

void relax(unsigned tries) {
  if (tries < 64) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
    return;
  }
  KeepErrno keep;
  sched_yield();
}

} // namespace abut::os
