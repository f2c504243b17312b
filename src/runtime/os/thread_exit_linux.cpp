// The end of a thread, by keys of thread-specific data: their destructors come after those of thread-local variables, and
// need neither memory nor a lock.
//
// The program may have all keys there are (PTHREAD_KEYS_MAX). What it finds used up, it gets from here; from then on threads
// are notified by the C++ run-time library. That is not done from the start because it takes the dynamic linker's
// lock: a library that starts a thread while it is loaded, and waits for it, would wait for ever.
#include "os/thread_exit.hpp"

#include "os/os.hpp"

#include <atomic>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" {
// Under this name the C library's own, whoever else has a pthread_key_create.
int abut_system_key_create(pthread_key_t *key, void (*destructor)(void *)) noexcept
    __asm__("__pthread_key_create");
__attribute__((weak)) int abut_thread_atexit(void (*handler)(void *), void *argument,
                                             void *library) noexcept
    __asm__("__cxa_thread_atexit_impl");
extern __attribute__((visibility("hidden"))) void *abut_this_library __asm__("__dso_handle");
}

namespace abut::os {
namespace {

using Handler = void (*)(void *);

class Hook {
public:
  // Whether this is the hook of `handler`, or becomes it.
  bool serves(Handler handler) {
    Handler seen = nullptr;
    return handler_.compare_exchange_strong(seen, handler) || seen == handler;
  }

  bool arm(void *argument) {
    if (!has_key()) return key_.state == given_up && arm_without_key(argument);
    if (pthread_setspecific(key_.number, argument) != 0 && key_.state == made) return false;
#if !defined(__SANITIZE_THREAD__) // which knows of no fences, and sees that all of it is atomic
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
    if (key_.state == made) return true;
    // It has become the program's in the midst of this, and must not hold a value of ours.
    pthread_setspecific(key_.number, nullptr);
    return arm_without_key(argument);
  }

  // Whether there was a key to give back. Threads that count on it, but for the running one, will end unnoticed.
  bool give_up_key() {
    pid_t seen = made;
    if (!key_.state.compare_exchange_strong(seen, given_up)) return false;
    void *argument = pthread_getspecific(key_.number);
    pthread_key_delete(key_.number);
    if (argument != nullptr) arm_without_key(argument);
    return true;
  }

private:
  // Or the process that makes it, a positive number.
  enum State : pid_t { none = 0, made = -1, given_up = -2 };
  struct Key {
    std::atomic<pid_t> state{none};
    pthread_key_t number = 0;
  };

  bool has_key() {
    unsigned tries = 0;
    for (pid_t seen = key_.state; seen >= 0; seen = key_.state) {
      const pid_t self = getpid();
      // In the child of a fork that came while another thread made it, nobody goes on with that.
      if (seen == self)
        relax(tries++);
      else if (key_.state.compare_exchange_strong(seen, self))
        key_.state = create_high_key() ? made : given_up;
    }
    return key_.state == made;
  }

  // Key 0 stays the program's: one that uses a key which it has not created, and which so is zero, hears of it.
  bool create_high_key() {
    const bool made = abut_system_key_create(&key_.number, handler_) == 0;
    if (!made || key_.number != 0) return made;
    const bool made_another = abut_system_key_create(&key_.number, handler_) == 0;
    pthread_key_delete(0);
    return made_another;
  }

  // For the main thread the handler would be called when the process ends, while it is still needed.
  bool arm_without_key(void *argument) {
    if (&abut_thread_atexit == nullptr || getpid() == syscall(SYS_gettid)) return false;
    return abut_thread_atexit(handler_, argument, &abut_this_library) == 0;
  }

  std::atomic<Handler> handler_{nullptr};
  Key key_;
};

constinit Hook hooks[4];

} // namespace

bool call_at_thread_exit(Handler handler, void *argument) {
  for (Hook &hook : hooks)
    if (hook.serves(handler)) return hook.arm(argument);
  return false;
}

int create_key(unsigned *key, Handler destructor) noexcept {
  static_assert(sizeof *key == sizeof(pthread_key_t));
  const auto give_one_up = [] {
    for (Hook &hook : hooks)
      if (hook.give_up_key()) return true;
    return false;
  };
  int result = abut_system_key_create(key, destructor);
  while (result != 0 && give_one_up()) result = abut_system_key_create(key, destructor);
  return result;
}

} // namespace abut::os
