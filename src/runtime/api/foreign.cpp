// Pointers that are not this heap's.
//
// Nearly always such a pointer is a mistake of the program, and ends it with a message. One kind is not: a
// library that was loaded with RTLD_DEEPBIND, where that is kept (deepbind.hpp), takes its blocks from the C library's
// own malloc, and the program may free them. Such a block is known by where it lies, and is handed to the C library, which checks it.
#include "api/calls.hpp"
#include "os/message.hpp"

#include <dlfcn.h>
#include <unistd.h>

extern "C" {
__attribute__((weak)) void __libc_free(void *);
__attribute__((weak)) void *__libc_realloc(void *, size_t);
}

namespace abut::entry {
namespace {

// The C library keeps a word before each of its blocks: the size of block and word, and three flags.
constexpr size_t kFlags = 7;
constexpr size_t kMappedFlag = 2;

// Where the program break was before anybody can have moved it.
Address break_at_start = ~Address{0};

__attribute__((constructor(101))) void record_break() {
  break_at_start = reinterpret_cast<Address>(sbrk(0));
}

const size_t &word_before(const void *memory) { return static_cast<const size_t *>(memory)[-1]; }

} // namespace

// On the program break, where nothing else here allocates, or at the start of a mapping of its own with the word that such
// blocks have.
bool is_of_c_library(const void *memory) {
  const auto address = reinterpret_cast<Address>(memory);
  if (address % 16 != 0 || !os::is_readable(&word_before(memory))) return false;
  const auto top = reinterpret_cast<Address>(sbrk(0));
  if (address > break_at_start && address < top && address % kPageBytes >= 16) {
    const size_t bytes = word_before(memory) & ~kFlags;
    return bytes >= 32 && bytes <= top - address + 16 && (word_before(memory) & kMappedFlag) == 0;
  }
  Dl_info object;
  if (address % kPageBytes != 16 || dladdr(memory, &object) != 0) return false;
  const size_t word = word_before(memory);
  return (word & kFlags) == kMappedFlag && (word & ~kFlags) % kPageBytes == 0 && word > kPageBytes;
}

void release_foreign(const char *call, void *memory) {
  if (!__libc_free || !is_of_c_library(memory)) os::fail(call, memory, kForeign);
  __libc_free(memory);
}

void *resize_foreign(const char *call, void *memory, size_t bytes) {
  if (!__libc_realloc || !is_of_c_library(memory)) os::fail(call, memory, kForeign);
  return __libc_realloc(memory, bytes);
}

size_t foreign_usable_size(const char *call, void *memory) {
  if (!is_of_c_library(memory)) os::fail(call, memory, kForeign);
  const size_t word = word_before(memory);
  // The word of the block behind belongs to this one, too: but behind a mapping there is none.
  return (word & ~kFlags) - ((word & kMappedFlag) != 0 ? 2 : 1) * sizeof(size_t);
}

} // namespace abut::entry
