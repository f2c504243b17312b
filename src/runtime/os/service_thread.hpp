// A thread that serves the others of its process: how it is started, sleeps and is woken.
#pragma once

#include <atomic>
#include <cstdint>

namespace abut::os {

// Starts a thread that runs `body(argument)`, with all signals blocked, on the last processor that the process may use.
// False where there is none to be had.
bool start_service_thread(void (*body)(void *), void *argument);

// Keeps the calling thread on that processor, where there is another one.
void pin_to_last_processor();

// Whether all of the process must do with one processor: then to wait for another thread is to keep it from its work.
bool has_one_processor();

// Whether the calling thread is the one that the process began with.
bool is_main_thread();

// Ends the process with success where every thread but the calling one has ended: that is what the C library does when the
// last thread of a program ends, of which a service thread is none.
void exit_if_alone();

// Sleeps until another thread wakes it or the time is over, unless `word` is not `expected`; may wake without cause. The word may
// be in memory that processes share. Without a time it waits for as long as it takes.
void wait_while(std::atomic<uint32_t> &word, uint32_t expected, unsigned milliseconds = 0);
void wake_waiter(std::atomic<uint32_t> &word);

// One step of waiting for another processor, without giving this one away.
inline void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

} // namespace abut::os
