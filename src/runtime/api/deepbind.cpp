// dlopen and dlmopen without RTLD_DEEPBIND: a library that is loaded with it finds the C library's free before ours, and
// gives it blocks of this heap.
//
// The dynamic linker tells by the return address who calls, and searches where that object says (RUNPATH, $ORIGIN, its
// namespace). So both calls change the flags alone, and go on by a jump: the return address stays the caller's.
#include "api/deepbind.hpp"

#include "api/export.hpp"

#include <dlfcn.h>

// Reached from below with the flags in register `flags`. What comes next is looked for at the first call, which may come
// before any constructor of this library.
#define ABUT_LOADER(name, flags)                                                                   \
  __asm__(".text\n.p2align 4\n.globl " name "\n.type " name ", @function\n" name                   \
          ":\n.cfi_startproc\nendbr64\nand abut_loader_flags(%rip), %" flags                       \
          "\njmp *abut_next_" name "(%rip)\n.cfi_endproc\n.size " name ", . - " name "\n"          \
          ".p2align 4\n.hidden abut_find_" name "\n.globl abut_find_" name                         \
          "\n.type abut_find_" name ", @function\nabut_find_" name                                 \
          ":\n.cfi_startproc\nendbr64\npush %rdi\n.cfi_adjust_cfa_offset 8\n"                      \
          "push %rsi\n.cfi_adjust_cfa_offset 8\npush %rdx\n.cfi_adjust_cfa_offset 8\n"             \
          "call abut_find_loaders\n"                                                               \
          "pop %rdx\n.cfi_adjust_cfa_offset -8\npop %rsi\n.cfi_adjust_cfa_offset -8\n"             \
          "pop %rdi\n.cfi_adjust_cfa_offset -8\njmp *abut_next_" name                              \
          "(%rip)\n.cfi_endproc\n.size abut_find_" name ", . - abut_find_" name "\n")

ABUT_LOADER("dlopen", "esi");
ABUT_LOADER("dlmopen", "edx");

using Loader = void (*)();

extern "C" {
__attribute__((visibility("hidden"))) void abut_find_dlopen();
__attribute__((visibility("hidden"))) void abut_find_dlmopen();
__attribute__((visibility("hidden"))) extern int abut_loader_flags;
__attribute__((visibility("hidden"))) extern Loader abut_next_dlopen;
__attribute__((visibility("hidden"))) extern Loader abut_next_dlmopen;
}

constinit int abut_loader_flags = ~RTLD_DEEPBIND;
constinit Loader abut_next_dlopen = abut_find_dlopen;
constinit Loader abut_next_dlmopen = abut_find_dlmopen;

namespace {

// What a program gets where the C library has no such call: null.
void *load_nothing() { return nullptr; }

void find(const char *name, Loader &next) {
  void *found = dlsym(RTLD_NEXT, name);
  const auto loader =
      found != nullptr ? reinterpret_cast<Loader>(found) : reinterpret_cast<Loader>(load_nothing);
  __atomic_store_n(&next, loader, __ATOMIC_RELEASE);
}

} // namespace

ABUT_BODY void abut_find_loaders() {
  find("dlopen", abut_next_dlopen);
  find("dlmopen", abut_next_dlmopen);
}

namespace abut::entry {

void keep_deepbind() { abut_loader_flags = ~0; }

} // namespace abut::entry
