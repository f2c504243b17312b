// The functions that compilers call under -fsanitize=thread, once for both of their implementations: in what programs
// are linked with, they do nothing; in the recorder's library, which comes before it, they record.
//
// A file that includes this defines ABUT_ACCESS(name, bytes, writes) for the functions of one address, and
// ABUT_RANGE(name, writes) for those of an address and a length. Atomics are in atomics.hpp.
#pragma once

#define ABUT_RT extern "C" __attribute__((visibility("default"), used))

#define ABUT_ACCESSES_OF_SIZE(bytes)                                                               \
  ABUT_ACCESS(__tsan_read##bytes, bytes, false)                                                    \
  ABUT_ACCESS(__tsan_write##bytes, bytes, true)                                                    \
  ABUT_ACCESS(__tsan_volatile_read##bytes, bytes, false)                                           \
  ABUT_ACCESS(__tsan_volatile_write##bytes, bytes, true)                                           \
  ABUT_ACCESS(__tsan_unaligned_read##bytes, bytes, false)                                          \
  ABUT_ACCESS(__tsan_unaligned_write##bytes, bytes, true)                                          \
  ABUT_ACCESS(__tsan_unaligned_volatile_read##bytes, bytes, false)                                 \
  ABUT_ACCESS(__tsan_unaligned_volatile_write##bytes, bytes, true)                                 \
  ABUT_ACCESS_TWICE(__tsan_read_write##bytes, bytes)                                               \
  ABUT_ACCESS_TWICE(__tsan_unaligned_read_write##bytes, bytes)                                     \
  ABUT_ACCESS_AT(__tsan_read##bytes##_pc, bytes, false)                                            \
  ABUT_ACCESS_AT(__tsan_write##bytes##_pc, bytes, true)

#define ABUT_ALL_ACCESSES                                                                          \
  ABUT_ACCESSES_OF_SIZE(1)                                                                         \
  ABUT_ACCESSES_OF_SIZE(2)                                                                         \
  ABUT_ACCESSES_OF_SIZE(4)                                                                         \
  ABUT_ACCESSES_OF_SIZE(8)                                                                         \
  ABUT_ACCESSES_OF_SIZE(16)                                                                        \
  ABUT_ACCESS(__tsan_vptr_read, 8, false)                                                          \
  ABUT_VPTR_UPDATE(__tsan_vptr_update)                                                             \
  ABUT_RANGE(__tsan_read_range, false)                                                             \
  ABUT_RANGE(__tsan_write_range, true)                                                             \
  ABUT_RANGE_AT(__tsan_read_range_pc, false)                                                       \
  ABUT_RANGE_AT(__tsan_write_range_pc, true)

// What says nothing of accesses.
#define ABUT_ALL_OTHERS                                                                            \
  ABUT_RT void __tsan_init() {}                                                                    \
  ABUT_RT void __tsan_func_entry(void *) {}                                                        \
  ABUT_RT void __tsan_func_exit() {}                                                               \
  ABUT_RT void __tsan_ignore_thread_begin() {}                                                     \
  ABUT_RT void __tsan_ignore_thread_end() {}                                                       \
  ABUT_RT void __tsan_acquire(void *) {}                                                           \
  ABUT_RT void __tsan_release(void *) {}                                                           \
  ABUT_RT void __tsan_flush_memory() {}                                                            \
  ABUT_RT void __tsan_mutex_create(void *, unsigned) {}                                            \
  ABUT_RT void __tsan_mutex_destroy(void *, unsigned) {}                                           \
  ABUT_RT void __tsan_mutex_pre_lock(void *, unsigned) {}                                          \
  ABUT_RT void __tsan_mutex_post_lock(void *, unsigned, int) {}                                    \
  ABUT_RT int __tsan_mutex_pre_unlock(void *, unsigned) { return 0; }                              \
  ABUT_RT void __tsan_mutex_post_unlock(void *, unsigned) {}                                       \
  ABUT_RT void __tsan_mutex_pre_signal(void *, unsigned) {}                                        \
  ABUT_RT void __tsan_mutex_post_signal(void *, unsigned) {}                                       \
  ABUT_RT void __tsan_mutex_pre_divert(void *, unsigned) {}                                        \
  ABUT_RT void __tsan_mutex_post_divert(void *, unsigned) {}                                       \
  ABUT_RT void __tsan_check_no_mutexes_held() {}                                                   \
  ABUT_RT void *__tsan_get_current_fiber() { return nullptr; }                                     \
  ABUT_RT void *__tsan_create_fiber(unsigned) { return nullptr; }                                  \
  ABUT_RT void __tsan_destroy_fiber(void *) {}                                                     \
  ABUT_RT void __tsan_switch_to_fiber(void *, unsigned) {}                                         \
  ABUT_RT void __tsan_set_fiber_name(void *, const char *) {}                                      \
  ABUT_RT void *__tsan_external_register_tag(const char *) { return nullptr; }                     \
  ABUT_RT void __tsan_external_register_header(void *, const char *) {}                            \
  ABUT_RT void __tsan_external_assign_tag(void *, void *) {}                                       \
  ABUT_RT void __tsan_external_read(void *, void *, void *) {}                                     \
  ABUT_RT void __tsan_external_write(void *, void *, void *) {}
