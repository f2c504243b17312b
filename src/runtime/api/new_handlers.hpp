// What operator new does when there is no memory: the program's handlers, then bad_alloc or null.
//
// The library does not depend on a C++ run-time library, so that a C program under it loads none: the two
// functions needed are looked for in the program.
#pragma once

#include "os/message.hpp"

#include <new>

using Handler = void (*)();

extern "C" {
__attribute__((weak)) Handler abut_get_new_handler() __asm__("_ZSt15get_new_handlerv");
__attribute__((weak)) void abut_throw_bad_alloc() __asm__("_ZSt17__throw_bad_allocv");
}

// What catching an exception refers to; the same goes for it.
__asm__(".weak __gxx_personality_v0\n.weak __cxa_begin_catch\n.weak __cxa_end_catch\n"
        ".weak _Unwind_Resume\n.weak _ZSt9terminatev");

namespace abut::entry {

inline size_t bytes_of(std::align_val_t align) { return static_cast<size_t>(align); }

// The program's new_handler, as the standard requires: called until there is memory or no handler.
template <class Allocate>
__attribute__((noinline)) void *try_handlers(Allocate allocate) {
  for (;;) {
    const Handler handler = abut_get_new_handler ? abut_get_new_handler() : nullptr;
    if (handler == nullptr) return nullptr;
    handler();
    if (void *memory = allocate()) return memory;
  }
}

template <class Allocate>
[[gnu::noinline]] void *allocate_or_throw(Allocate allocate) {
  if (void *memory = allocate()) [[likely]]
    return memory;
  if (void *memory = try_handlers(allocate)) return memory;
  if (abut_throw_bad_alloc) abut_throw_bad_alloc();
  os::fail("operator new", nullptr, "out of memory, and the program cannot catch it");
}

// A handler may throw bad_alloc; the forms that promise not to throw make null of it.
template <class Allocate>
void *allocate_or_null(Allocate allocate) {
  if (void *memory = allocate()) [[likely]]
    return memory;
  try {
    return try_handlers(allocate);
  } catch (...) {
    return nullptr;
  }
}

} // namespace abut::entry
