// pthread_key_create: the program may have every key that there is.
#include "api/export.hpp"
#include "os/thread_exit.hpp"

#include <pthread.h>

ABUT_EXPORT int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) noexcept {
  return abut::os::create_key(key, destructor);
}
