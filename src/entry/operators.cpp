// operator new and delete, in every form.
//
// The library does not depend on a C++ run-time library, so that a C program under it loads none: the two
// functions needed are looked for in the program.
#include "entry/calls.hpp"
#include "entry/export.hpp"
#include "os/message.hpp"

#include <new>

using Handler = void (*)();

extern "C" {
__attribute__((weak)) Handler abut_get_new_handler() __asm__("_ZSt15get_new_handlerv");
__attribute__((weak)) void abut_throw_bad_alloc() __asm__("_ZSt17__throw_bad_allocv");
}

// What catching an exception refers to; the same goes for it.
__asm__(".weak __gxx_personality_v0\n.weak __cxa_begin_catch\n.weak __cxa_end_catch\n"
        ".weak _Unwind_Resume");

using namespace abut;

namespace {

size_t bytes_of(std::align_val_t align) { return static_cast<size_t>(align); }

// The program's new_handler, as the standard wants: called until there is memory or no handler.
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

} // namespace

[[gnu::noinline]] static void *
allocate_placed_or_throw(size_t bytes, const near::Captured *captured, Address context) {
  return allocate_or_throw([=] { return near::allocate_any(bytes, *captured, context); });
}

[[gnu::noinline]] static void *new_slow(size_t bytes) {
  return allocate_or_throw([=] { return heap::allocate(bytes); });
}

[[gnu::noinline]] static void *new_at(size_t bytes, Address site) {
  if (!near::is_plain(site))
    if (const Address context = near::context_to_place(bytes, site))
      return abut_capture_new(bytes, context);
  if (group::forms_groups_at(site)) return abut_capture_new(bytes, near::kPlain);
  void *memory = heap::allocate_fast(bytes);
  return memory ? memory : new_slow(bytes);
}

[[gnu::always_inline]] static inline void *allocate_new(size_t bytes, Address site) {
  if (bytes - (heap::kTinyMax + 1) > heap::kSmallMax - (heap::kTinyMax + 1)) [[unlikely]]
    return new_slow(bytes);
  if (near::is_awake()) [[unlikely]]
    return new_at(bytes, site);
  void *memory = heap::allocate_fast(bytes);
  return memory ? memory : new_slow(bytes);
}

ABUT_BODY void *abut_placed_new(size_t bytes, const near::Captured *captured, Address context) {
  if (void *memory = near::allocate_beside(bytes, *captured, context)) [[likely]]
    return memory;
  return allocate_placed_or_throw(bytes, captured, context);
}

ABUT_EXPORT_CXX void *operator new(size_t bytes) { return allocate_new(bytes, ABUT_SITE); }
ABUT_EXPORT_CXX void *operator new[](size_t bytes) { return allocate_new(bytes, ABUT_SITE); }
ABUT_EXPORT_CXX void *operator new(size_t bytes, const std::nothrow_t &) noexcept {
  return allocate_or_null([=] { return heap::allocate(bytes); });
}
ABUT_EXPORT_CXX void *operator new[](size_t bytes, const std::nothrow_t &) noexcept {
  return allocate_or_null([=] { return heap::allocate(bytes); });
}
ABUT_EXPORT_CXX void *operator new(size_t bytes, std::align_val_t align) {
  return allocate_or_throw([=] { return heap::allocate_aligned(bytes_of(align), bytes); });
}
ABUT_EXPORT_CXX void *operator new[](size_t bytes, std::align_val_t align) {
  return allocate_or_throw([=] { return heap::allocate_aligned(bytes_of(align), bytes); });
}
ABUT_EXPORT_CXX void *operator new(size_t bytes, std::align_val_t align,
                                   const std::nothrow_t &) noexcept {
  return allocate_or_null([=] { return heap::allocate_aligned(bytes_of(align), bytes); });
}
ABUT_EXPORT_CXX void *operator new[](size_t bytes, std::align_val_t align,
                                     const std::nothrow_t &) noexcept {
  return allocate_or_null([=] { return heap::allocate_aligned(bytes_of(align), bytes); });
}

#define ABUT_DELETE(...)                                                                           \
  ABUT_EXPORT_CXX void operator delete(__VA_ARGS__) noexcept {                                     \
    entry::release("operator delete", memory);                                                     \
  }                                                                                                \
  ABUT_EXPORT_CXX void operator delete[](__VA_ARGS__) noexcept {                                   \
    entry::release("operator delete[]", memory);                                                   \
  }

ABUT_DELETE(void *memory)
ABUT_DELETE(void *memory, size_t)
ABUT_DELETE(void *memory, const std::nothrow_t &)
ABUT_DELETE(void *memory, std::align_val_t)
ABUT_DELETE(void *memory, size_t, std::align_val_t)
ABUT_DELETE(void *memory, std::align_val_t, const std::nothrow_t &)
