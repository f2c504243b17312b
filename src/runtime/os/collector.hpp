// What a recorder inside a program asks of the system: the memory that it shares with the collector, and the like.
//
// None of these allocates or changes errno.
#pragma once

#include "base/units.hpp"
#include "os/one_thread.hpp"

namespace abut::os {

// Connects to the abstract socket `name`, sends `hello` and waits for `answer_bytes` of answer, which bring shared
// memory of `bytes`. It is mapped; no file descriptor stays open. Null where there is no answer, or none with memory.
void *share_memory(const char *name, const void *hello, size_t hello_bytes, void *answer,
                   size_t answer_bytes, size_t bytes);

// False where there is no such process (any more).
bool process_exists(int process);

// Sleeps for so many microseconds.
void nap(unsigned microseconds);

// The time stamp counter.
inline uint64_t time_stamp() { return __builtin_ia32_rdtsc(); }

// The same, but not before what was read until now has been read.
inline uint64_t time_stamp_now() {
  __builtin_ia32_lfence();
  return time_stamp();
}

// Calls `visit(argument, line, length)` for each line of the list of this process's mappings.
void each_mapping(void (*visit)(void *argument, const char *line, size_t length), void *argument);

} // namespace abut::os
