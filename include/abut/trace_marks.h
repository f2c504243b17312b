/* Marks in a program, for `abut record`: which part of a run to record.
 *
 * Under the recorder, accesses are recorded from abut_trace_start() on (`abut record --wait`), and up to
 * abut_trace_stop(). Without it, a mark costs a few instructions that do nothing. Nothing is to be linked.
 */
#ifndef ABUT_TRACE_MARKS_H
#define ABUT_TRACE_MARKS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__x86_64__) && defined(__GNUC__)
/* Valgrind knows these rotations, which leave the register as it was, and the exchange for a request to its tool. */
static inline void abut_trace_request(unsigned long request) {
  volatile unsigned long words[6] = {request, 0, 0, 0, 0, 0};
  unsigned long result = 0;
#ifdef __ELF__
  /* A recorder inside of the program has a function for them, which the dynamic linker finds: null where there is none. */
  void (*mark)(unsigned long) = 0;
  __asm__(".weak abut_trace_mark\n\tmovq abut_trace_mark@GOTPCREL(%%rip), %0" : "=r"(mark));
  if (mark) mark(request);
#endif
  __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi\n\t"
                   "xchgq %%rbx, %%rbx"
                   : "+d"(result)
                   : "a"(words)
                   : "cc", "memory");
}
#else
static inline void abut_trace_request(unsigned long request) { (void)request; }
#endif

/* Accesses are recorded from here on. */
static inline void abut_trace_start(void) { abut_trace_request(0x41420100); }

/* Accesses are recorded no more. Allocations and frees are, so that later accesses find their objects. */
static inline void abut_trace_stop(void) { abut_trace_request(0x41420101); }

#ifdef __cplusplus
}
#endif

#endif
