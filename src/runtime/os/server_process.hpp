// A process that serves another one, from which it was forked: how it is started, notified of the other's end, and supervised.
#pragma once

#include <atomic>
#include <cstdint>

namespace abut::os {

// Forks a process that runs `body(argument)` and ends. Of the program's files it has but `kept`, and no signal except
// SIGKILL reaches it; it is no child of the program, which need not wait for it. It is pinned as a service thread is. When the
// program has ended, runs another one or has closed its end of a pipe, `left_alone` is called there, as a signal handler.
// `process`, in memory that both share, is its number; false, and 0, where there is none to be had.
bool start_server_process(void (*body)(void *), void *argument, void (*left_alone)(), int kept,
                          std::atomic<uint32_t> &process);

// Whether it runs still. It may be wrong where numbers are used again at once.
bool is_running(uint32_t process);

// Ends this process without a trace.
[[noreturn]] void leave_process();

} // namespace abut::os
