// What the heap asks of an operating system: the whole contract. One file a system implements it.
//
// None of these allocates, takes a lock that malloc could hold, or changes errno. The result of every system call is
// looked at, and each can be refused: by a limit, by a filter of system calls, by locked memory.
#pragma once

#include "base/spin_lock.hpp"
#include "base/units.hpp"

namespace abut::os {

// Addresses fit in so many bits, unless a program asks the system for more.
inline constexpr unsigned kAddressBits = 47;

// Maps `bytes` of zeroed memory; null where there is none to be had. It counts against the limits on what the system
// promises (overcommit). Addresses and lengths, here and below, are multiples of a page.
void *map(size_t bytes);

// The same for a table of which little is ever touched: it does not count, and is never made of huge pages.
void *map_sparse(size_t bytes);

// What became of a mapping that was wanted at certain addresses.
enum class Mapped : uint8_t {
  done,
  occupied, // another mapping has some of the addresses
  exhausted // there is no memory, or a limit is reached
};

// As map(), at these addresses. What others have mapped there stays.
Mapped map_at(void *place, size_t bytes);

// Holds addresses, without memory, that move_mapping() is to fill.
Mapped reserve_at(void *place, size_t bytes);

// False where the system refuses: the memory is there as before.
bool unmap(void *memory, size_t bytes);

// Grows or shrinks a mapping where it lies; false where the neighbouring addresses are taken, or the system cannot.
bool resize_mapping(void *memory, size_t old_bytes, size_t new_bytes);

// Moves a mapping, pages and all, to addresses that reserve_at() holds; false where the system cannot. What was held
// is held no longer only where that succeeds.
bool move_mapping(void *from, size_t old_bytes, void *to, size_t new_bytes);

// Gives the pages back: resident size falls at once, and the memory reads as zero afterwards. False where the system
// refuses, as it does for locked memory: the contents stay.
[[nodiscard]] bool discard(void *memory, size_t bytes);

// Makes the memory read as zero: by giving the pages back, or by hand where the system refuses to take them.
void clear_pages(void *memory, size_t bytes);

// The same where most may never have been written to, and is not to become resident: 2 MiB of which few pages seem used, by the
// first line of one in 16, go back; others are cleared in place. mincore() would tell, but filters of system calls, as systemd's
// for services, end a process that calls it.
void clear_sparse_pages(void *memory, size_t bytes);

// Makes the pages resident now, in one call, where the system can; otherwise they become so one by one.
void populate(void *memory, size_t bytes);

// Asks for huge pages under these addresses, or has none there, where the system listens.
void prefer_huge_pages(void *memory, size_t bytes);
void refuse_huge_pages(void *memory, size_t bytes);

// Who hands memory out in the system's place: for a heap that two processes have in common. `map` answers null where it
// has none; the others answer whether the memory is theirs.
struct MemorySource {
  void *(*map)(void *place, size_t bytes); // at `place`, or anywhere where that is null
  bool (*unmap)(void *memory, size_t bytes);
  bool (*discard)(void *memory, size_t bytes);
};

// Has map(), unmap() and discard() ask `source` first. Before other threads map, and not twice.
void use_memory_source(const MemorySource *source);

// Pages of [memory, memory + bytes) that are resident, or 0 where that is not known.
size_t resident_bytes();

// Whether 8 bytes at `memory`, a multiple of 8, can be read; false where that is not known.
bool is_readable(const void *memory);

// Milliseconds of a clock that never goes back, to within some milliseconds; cheap.
uint64_t coarse_milliseconds();

// Nanoseconds of the same clock.
uint64_t nanoseconds();

// A number that an attacker cannot foresee; it differs from run to run.
uint64_t random_number();

// Calls `handler(argument)` when this thread ends, as late as the system allows but before its thread-local
// variables go; false where that cannot be had. There may be four different handlers.
bool call_at_thread_exit(void (*handler)(void *), void *argument);

// False in a program with more rights than who starts it: they must not choose the files that it reads and writes.
bool heeds_environment();

// Has `before` called before each fork, and the others after it, with the C library's list of streams locked in
// between. The library takes that lock itself, but only after `before`: a thread that holds it waits for a stream whose
// owner may take a lock of the heap's, so that a heap's lock must never be held while that one is waited for.
void call_at_fork(void (*before)(), void (*in_parent)(), void (*in_child)());

unsigned process_id();

// Writes to the standard error stream, without buffering.
void write_error(const char *text, size_t length);

// Opens, replaces and closes a file for writing; -1 where that fails.
int create_file(const char *path);
bool write_file(int file, const char *text, size_t length);
void close_file(int file);

// Ends the process as abort() does.
[[noreturn]] void abort_process();

// Waits a little, and gives the processor away after some tries.
void relax(unsigned tries);

// A thread that forks takes every lock, and then may still be asked to allocate: by handlers of the fork that
// run after ours, or before ours on the way back.
extern thread_local constinit bool holds_every_lock
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

struct LockPolicy {
  static void relax(unsigned tries) { os::relax(tries); }
  static bool exempt() { return holds_every_lock; }
};
using SpinLock = BasicSpinLock<LockPolicy>;

// A lock that its thread may take again and again. Who forks needs those of all threads, and would not come by them: then each
// sleeps once before it takes its own.
extern std::atomic<bool> fork_waits __attribute__((visibility("hidden")));
class BusyLock : public SpinLock {
public:
  void lock() {
    if (fork_waits.load(std::memory_order_relaxed)) [[unlikely]]
      relax(~0U);
    SpinLock::lock();
  }
};

} // namespace abut::os
