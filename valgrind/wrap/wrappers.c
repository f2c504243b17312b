/* What is preloaded into the program: wrappers that report to the tool when the program calls its allocator, and with what.
 * The allocator itself, whichever it is, runs as it would without them.
 *
 * SPDX-License-Identifier: MIT. It needs valgrind.h alone, which is under a BSD-style licence.
 *
 * A free is recorded when the call begins: once the block is back in the allocator, another thread may be given it before
 * this one returns. A new block is recorded when the call ends, since only then is its address known.
 */
#include "../requests.h"

#include <stddef.h>

#define FRAME ((unsigned long)__builtin_frame_address(0))
#define CALLER ((unsigned long)__builtin_return_address(0))
#define REQUEST(request, ...) VALGRIND_DO_CLIENT_REQUEST_STMT(ABUT_REQUEST_##request, __VA_ARGS__)

/* Any library or program that defines the function as a global symbol, but for the loader. In the C library some of
 * them are weak symbols, which this leaves out; so that is named, too. */
#define ANYWHERE VgSoSynsomalloc
#define LIBC libcZdsoZa /* libc.so* */
#define WRAPPER(library, name) I_WRAP_SONAME_FNNAME_ZU(library, name)
#define IN_BOTH(definition, ...) definition(LIBC, __VA_ARGS__) definition(ANYWHERE, __VA_ARGS__)

/* ---- new blocks: NAME(arguments), how the wrapped call is made, size, alignment ---- */

#define ALLOCATES(...) IN_BOTH(ALLOCATES_IN, __VA_ARGS__)
#define ALLOCATES_IN(...) ALLOCATES_AND((void)0, __VA_ARGS__)
#define ALLOCATES_AND(then, library, name, parameters, call, bytes, alignment)                     \
  void *WRAPPER(library, name) parameters;                                                         \
  void *WRAPPER(library, name) parameters {                                                        \
    OrigFn original;                                                                               \
    void *block;                                                                                   \
    VALGRIND_GET_ORIG_FN(original);                                                                \
    REQUEST(ENTER_ALLOCATE, FRAME, 0, 0, 0, 0);                                                    \
    call;                                                                                          \
    REQUEST(LEAVE_ALLOCATE, FRAME, block, bytes, alignment, 0);                                    \
    then;                                                                                          \
    return block;                                                                                  \
  }

#define ALLOCATES_ALIGNED(name)                                                                    \
  ALLOCATES(name, (size_t alignment, size_t bytes),                                                \
            CALL_FN_W_WW(block, original, alignment, bytes), bytes, alignment)

ALLOCATES_ALIGNED(memalign)
ALLOCATES_ALIGNED(aligned_alloc)
ALLOCATES(valloc, (size_t bytes), CALL_FN_W_W(block, original, bytes), bytes, 4096)
ALLOCATES(pvalloc, (size_t bytes), CALL_FN_W_W(block, original, bytes),
          (bytes + 4095) & ~(size_t)4095, 4096)
/* jemalloc's own, whose flags' low six bits are the logarithm of the alignment */
ALLOCATES(mallocx, (size_t bytes, int flags), CALL_FN_W_WW(block, original, bytes, flags), bytes,
          (flags & 63) != 0 ? 1ul << (flags & 63) : 0)

/* mimalloc's from version 3 on, which allocates as none of these does */
#define MIMALLOC libmimallocZdsoZa /* libmimalloc.so* */
static size_t length(const char *text, size_t most) {
  size_t bytes = 0;
  while (bytes < most && text[bytes] != '\0') ++bytes;
  return bytes;
}
ALLOCATES_IN(MIMALLOC, strdup, (const char *text), CALL_FN_W_W(block, original, text),
             length(text, ~(size_t)0) + 1, 0)
ALLOCATES_IN(MIMALLOC, strndup, (const char *text, size_t most),
             CALL_FN_W_WW(block, original, text, most), length(text, most) + 1, 0)

#define ALLOCATES_TO_POINTER_IN(library, name)                                                     \
  int WRAPPER(library, name)(void **out, size_t alignment, size_t bytes);                          \
  int WRAPPER(library, name)(void **out, size_t alignment, size_t bytes) {                         \
    OrigFn original;                                                                               \
    int failed;                                                                                    \
    VALGRIND_GET_ORIG_FN(original);                                                                \
    REQUEST(ENTER_ALLOCATE, FRAME, 0, 0, 0, 0);                                                    \
    CALL_FN_W_WWW(failed, original, out, alignment, bytes);                                        \
    REQUEST(LEAVE_ALLOCATE, FRAME, failed ? NULL : *out, bytes, alignment, 0);                     \
    return failed;                                                                                 \
  }
IN_BOTH(ALLOCATES_TO_POINTER_IN, posix_memalign)

/* ---- malloc, calloc, operator new ---- */

/* abut's heap finds the friend of a new object by the callee-saved registers and the stack of who calls it. So these leave the
 * registers alone, and have one word on the stack, the size, which the compiler's wrappers would not. That word is where the
 * compiler has a frame's address, too. */
#define SPECIAL "rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; "
#define NUMBER_OF_ORIGINAL SPECIAL "xchgq %%rcx, %%rcx\n\t"   /* in rax */
#define CALL_WITHOUT_WRAPPER SPECIAL "xchgq %%rdx, %%rdx\n\t" /* of rax */
#define REQUEST_ON_STACK                                                                           \
  "leaq 48(%%rsp), %%rax\n\tmovq %%rax, 8(%%rsp)\n\t"                                              \
  "movq $0, 32(%%rsp)\n\tmovq $0, 40(%%rsp)\n\tmovq %%rsp, %%rax\n\txorl %%edx, %%edx\n\t" SPECIAL \
  "xchgq %%rbx, %%rbx\n\t"
#define ALLOCATES_AS_CALLED(library, name, parameters, size_to_rax)                                \
  void *WRAPPER(library, name) parameters;                                                         \
  __attribute__((naked)) void *WRAPPER(library, name) parameters {                                 \
    __asm__ volatile(size_to_rax "pushq %%rax\n\t.cfi_adjust_cfa_offset 8\n\t" NUMBER_OF_ORIGINAL  \
                                 "movq %%rax, %%r11\n\t"                                           \
                                 "subq $48, %%rsp\n\t.cfi_adjust_cfa_offset 48\n\t"                \
                                 "movq %0, (%%rsp)\n\tmovq $0, 16(%%rsp)\n\t"                      \
                                 "movq $0, 24(%%rsp)\n\t" REQUEST_ON_STACK                         \
                                 "addq $48, %%rsp\n\t.cfi_adjust_cfa_offset -48\n\t"               \
                                 "movq %%r11, %%rax\n\t" CALL_WITHOUT_WRAPPER                      \
                                 "subq $48, %%rsp\n\t.cfi_adjust_cfa_offset 48\n\t"                \
                                 "movq %1, (%%rsp)\n\tmovq %%rax, 16(%%rsp)\n\t"                   \
                                 "movq 48(%%rsp), %%rdx\n\tmovq %%rdx, 24(%%rsp)\n\t"              \
                                 "movq %%rax, %%rcx\n\t" REQUEST_ON_STACK "movq %%rcx, %%rax\n\t"  \
                                 "addq $56, %%rsp\n\t.cfi_adjust_cfa_offset -56\n\tret"            \
                     :                                                                             \
                     : "i"(ABUT_REQUEST_ENTER_ALLOCATE), "i"(ABUT_REQUEST_LEAVE_ALLOCATE));        \
  }

#define OF_BYTES(name) IN_BOTH(ALLOCATES_AS_CALLED, name, (size_t bytes), "movq %%rdi, %%rax\n\t")
OF_BYTES(malloc)
OF_BYTES(_Znwm)
OF_BYTES(_Znam)
IN_BOTH(ALLOCATES_AS_CALLED, calloc, (size_t count, size_t each),
        "movq %%rdi, %%rax\n\timulq %%rsi, %%rax\n\t")

/* ---- other forms of operator new ---- */

#define NEW_NOTHROW(name)                                                                          \
  ALLOCATES(name, (size_t bytes, const void *tag), CALL_FN_W_WW(block, original, bytes, tag),      \
            bytes, 0)
#define NEW_ALIGNED(name)                                                                          \
  ALLOCATES(name, (size_t bytes, size_t alignment),                                                \
            CALL_FN_W_WW(block, original, bytes, alignment), bytes, alignment)
#define NEW_ALIGNED_NOTHROW(name)                                                                  \
  ALLOCATES(name, (size_t bytes, size_t alignment, const void *tag),                               \
            CALL_FN_W_WWW(block, original, bytes, alignment, tag), bytes, alignment)

NEW_NOTHROW(_ZnwmRKSt9nothrow_t)
NEW_NOTHROW(_ZnamRKSt9nothrow_t)
NEW_ALIGNED(_ZnwmSt11align_val_t)
NEW_ALIGNED(_ZnamSt11align_val_t)
NEW_ALIGNED_NOTHROW(_ZnwmSt11align_val_tRKSt9nothrow_t)
NEW_ALIGNED_NOTHROW(_ZnamSt11align_val_tRKSt9nothrow_t)

/* ---- frees ---- */

#define FREES(...) IN_BOTH(FREES_IN, __VA_ARGS__)
#define FREES_IN(library, name, parameters, call)                                                  \
  void WRAPPER(library, name) parameters;                                                          \
  void WRAPPER(library, name) parameters {                                                         \
    OrigFn original;                                                                               \
    VALGRIND_GET_ORIG_FN(original);                                                                \
    REQUEST(ENTER_FREE, FRAME, block, CALLER, 0, 0);                                               \
    call;                                                                                          \
    REQUEST(LEAVE_FREE, FRAME, 0, 0, 0, 0);                                                        \
  }

#define FREES_BLOCK(name) FREES(name, (void *block), CALL_FN_v_W(original, block))
#define FREES_WITH_ONE(name)                                                                       \
  FREES(name, (void *block, size_t more), CALL_FN_v_WW(original, block, more))
#define FREES_WITH_TWO(name)                                                                       \
  FREES(name, (void *block, size_t more, size_t most), CALL_FN_v_WWW(original, block, more, most))

FREES_BLOCK(free)
FREES_BLOCK(cfree)
FREES_WITH_ONE(free_sized)
FREES_WITH_TWO(free_aligned_sized)
FREES_WITH_ONE(dallocx)
FREES_WITH_TWO(sdallocx)

/* ---- operator delete ---- */

FREES_BLOCK(_ZdlPv)
FREES_BLOCK(_ZdaPv)
FREES_WITH_ONE(_ZdlPvm)
FREES_WITH_ONE(_ZdaPvm)
FREES_WITH_ONE(_ZdlPvRKSt9nothrow_t)
FREES_WITH_ONE(_ZdaPvRKSt9nothrow_t)
FREES_WITH_ONE(_ZdlPvSt11align_val_t)
FREES_WITH_ONE(_ZdaPvSt11align_val_t)
FREES_WITH_TWO(_ZdlPvmSt11align_val_t)
FREES_WITH_TWO(_ZdaPvmSt11align_val_t)
FREES_WITH_TWO(_ZdlPvSt11align_val_tRKSt9nothrow_t)
FREES_WITH_TWO(_ZdaPvSt11align_val_tRKSt9nothrow_t)

/* ---- resizes: realloc(p, 0) may free, which a null block without an error shows ---- */

#define RESIZES(...) IN_BOTH(RESIZES_IN, __VA_ARGS__)
#define RESIZES_IN(library, name, parameters, call, bytes)                                         \
  void *WRAPPER(library, name) parameters;                                                         \
  void *WRAPPER(library, name) parameters {                                                        \
    OrigFn original;                                                                               \
    void *moved;                                                                                   \
    VALGRIND_GET_ORIG_FN(original);                                                                \
    REQUEST(ENTER_RESIZE, FRAME, block, 0, 0, 0);                                                  \
    call;                                                                                          \
    REQUEST(LEAVE_RESIZE, FRAME, moved, bytes, moved == NULL && (bytes) != 0, 0);                  \
    return moved;                                                                                  \
  }

RESIZES(realloc, (void *block, size_t bytes), CALL_FN_W_WW(moved, original, block, bytes), bytes)
/* A product that overflows is no size, and not 0, which would mean a free. */
#define PRODUCT_OR_MOST(a, b) (__builtin_mul_overflow_p(a, b, (size_t)0) ? (size_t)-1 : (a) * (b))
RESIZES(reallocarray, (void *block, size_t count, size_t each),
        CALL_FN_W_WWW(moved, original, block, count, each), PRODUCT_OR_MOST(count, each))
RESIZES(rallocx, (void *block, size_t bytes, int flags),
        CALL_FN_W_WWW(moved, original, block, bytes, flags), bytes)

/* ---- what a program may learn ---- */

#define MEASURES_IN(library, name)                                                                 \
  size_t WRAPPER(library, name)(void *block);                                                      \
  size_t WRAPPER(library, name)(void *block) {                                                     \
    OrigFn original;                                                                               \
    size_t bytes;                                                                                  \
    VALGRIND_GET_ORIG_FN(original);                                                                \
    REQUEST(ENTER_ALLOCATE, FRAME, 0, 0, 0, 0);                                                    \
    CALL_FN_W_W(bytes, original, block);                                                           \
    REQUEST(LEAVE_FREE, FRAME, 0, 0, 0, 0);                                                        \
    REQUEST(USABLE, block, bytes, 0, 0, 0);                                                        \
    return bytes;                                                                                  \
  }
IN_BOTH(MEASURES_IN, malloc_usable_size)

/* ---- hints: calls of libabut, which does what malloc and calloc do ---- */

#define ALLOCATES_NEAR(name, parameters, call, bytes)                                              \
  ALLOCATES_AND(REQUEST(NEAR, block, other, 0, 0, 0), ANYWHERE, name, parameters, call, bytes, 0)

ALLOCATES_NEAR(abut_malloc_near, (size_t bytes, const void *other),
               CALL_FN_W_WW(block, original, bytes, other), bytes)
ALLOCATES_NEAR(abut_calloc_near, (size_t count, size_t each, const void *other),
               CALL_FN_W_WWW(block, original, count, each, other), count *each)

void WRAPPER(ANYWHERE, abut_touch)(const void *block, unsigned weight);
void WRAPPER(ANYWHERE, abut_touch)(const void *block, unsigned weight) {
  OrigFn original;
  VALGRIND_GET_ORIG_FN(original);
  REQUEST(TOUCH, block, weight, 0, 0, 0);
  CALL_FN_v_WW(original, block, weight);
}

/* ---- ways out of an allocator that pass by the wrappers' ends ---- */

#define JUMPS(library, name)                                                                       \
  void WRAPPER(library, name)(void *where, int value);                                             \
  void WRAPPER(library, name)(void *where, int value) {                                            \
    OrigFn original;                                                                               \
    VALGRIND_GET_ORIG_FN(original);                                                                \
    REQUEST(JUMP, 0, 0, 0, 0, 0);                                                                  \
    CALL_FN_v_WW(original, where, value);                                                          \
  }

JUMPS(LIBC, longjmp)
JUMPS(LIBC, _longjmp)
JUMPS(LIBC, siglongjmp)
JUMPS(LIBC, __longjmp_chk)

#define LIBSTDCXX libstdcZpZpZdsoZd6 /* libstdc++.so.6 */
void *WRAPPER(LIBSTDCXX, __cxa_begin_catch)(void *exception);
void *WRAPPER(LIBSTDCXX, __cxa_begin_catch)(void *exception) {
  OrigFn original;
  void *caught;
  VALGRIND_GET_ORIG_FN(original);
  REQUEST(LANDED, FRAME, 0, 0, 0, 0);
  CALL_FN_W_W(caught, original, exception);
  return caught;
}

/* The exception that operator new throws is made while operator new runs, and lives on. */
void *WRAPPER(LIBSTDCXX, __cxa_allocate_exception)(size_t bytes);
void *WRAPPER(LIBSTDCXX, __cxa_allocate_exception)(size_t bytes) {
  OrigFn original;
  void *exception;
  VALGRIND_GET_ORIG_FN(original);
  REQUEST(STEP_OUT, 0, 0, 0, 0, 0);
  CALL_FN_W_W(exception, original, bytes);
  REQUEST(STEP_BACK, 0, 0, 0, 0, 0);
  return exception;
}
