// A process that serves another one, from which it was forked: how it is started, notified of the other's end, and supervised.
#pragma once

#include <atomic>
#include <cstdint>

namespace abut::offload {

// Forks a process that runs `body(argument)` and ends. Of the program's files it has but `kept`, and no signal except
// SIGKILL reaches it; it is no child of the program, which need not wait for it. It stays on the last processor that the
// process may use, where there is another one. When the program has ended, runs another one or has closed its end of a pipe,
// `left_alone` is called there, as a signal handler. `process`, in memory that both share, is its number; false, and 0, where
// there is none to be had.
bool start_server_process(void (*body)(void *), void *argument, void (*left_alone)(), int kept,
                          std::atomic<uint32_t> &process);

// Whether it runs still. It may be wrong where numbers are used again at once.
bool is_running(uint32_t process);

// Ends this process without a trace.
[[noreturn]] void leave_process();

// Whether both must do with one processor: then to wait for the other is to keep it from its work.
bool has_one_processor();

// Sleeps until another process or thread wakes it, unless `word`, which both have, is not `expected`; may wake without cause.
void wait_while(std::atomic<uint32_t> &word, uint32_t expected);
void wake_waiter(std::atomic<uint32_t> &word);

// One step of waiting for another processor, without giving this one away.
inline void pause_briefly() { __builtin_ia32_pause(); }

} // namespace abut::offload
