// Keys of thread-specific data, which the program and os::call_at_thread_exit() share.
#pragma once

namespace abut::os {

// As pthread_key_create() for the program: where all keys are taken, it gets one of those that
// os::call_at_thread_exit() has.
int create_key(unsigned *key, void (*destructor)(void *)) noexcept;

} // namespace abut::os
