/* What the kernel does: memory that it reads and writes, mappings, threads, signals.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tool.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

/* ---- memory that system calls read and write ---- */

static void record_kernel(ThreadId tid, Addr start, SizeT bytes, Bool writes) {
  if (state != STATE_RECORDING || bytes == 0) return;
  allocator_thread_runs(tid);
  RECORD(ABUT_RAW_KERNEL, writes, start, bytes);
}

static void kernel_reads(CorePart part, ThreadId tid, const HChar *what, Addr start, SizeT bytes) {
  if (part == Vg_CoreSysCall) record_kernel(tid, start, bytes, False);
}

/* Its length is only known from reading it, which may only be done where it can be read. */
static void kernel_reads_text(CorePart part, ThreadId tid, const HChar *what, Addr start) {
  Addr end = start;
  if (part != Vg_CoreSysCall || state != STATE_RECORDING) return;
  while (VG_(am_is_valid_for_client)(end, 1, VKI_PROT_READ)) {
    Addr page_end = (end | (VKI_PAGE_SIZE - 1)) + 1;
    while (end < page_end && *(const HChar *)end != 0) ++end;
    if (end < page_end) {
      record_kernel(tid, start, end + 1 - start, False);
      return;
    }
  }
}

static void kernel_wrote(CorePart part, ThreadId tid, Addr start, SizeT bytes) {
  if (part == Vg_CoreSysCall) record_kernel(tid, start, bytes, True);
}

/* ---- mappings ---- */

/* Its content is gone; its pages, if they are touched again, come back as zeros. */
static void discarded(Addr start, SizeT bytes) {
  if (state != STATE_IDLE && bytes != 0) RECORD(ABUT_RAW_DISCARD, 0, event_time(), start, bytes);
}

static void unmapped(Addr start, SizeT bytes) {
  if (state == STATE_IDLE) return;
  discarded(start, bytes);
  event_unmap(start, bytes);
}

static void mapped(Addr start, SizeT bytes, Bool readable, Bool writable, Bool executable,
                   ULong handle) {
  unmapped(start, bytes);
  if (state != STATE_IDLE && executable) event_module(start, bytes);
}

static void protected(Addr start, SizeT bytes, Bool readable, Bool writable, Bool executable) {
  if (state != STATE_IDLE && executable) event_module(start, bytes);
}

static void remapped(Addr from, Addr to, SizeT bytes) { unmapped(from, bytes); }

/* ---- threads ---- */

static void thread_created(ThreadId parent, ThreadId child) { allocator_thread_begins(child); }

static void thread_begins(ThreadId tid) {
  if (state == STATE_IDLE) return;
  Addr top = VG_(thread_get_stack_max)(tid) + 1;
  RECORD(ABUT_RAW_STACK, allocator_thread_number(tid), top - VG_(thread_get_stack_size)(tid), top);
}

static void thread_runs(ThreadId tid, ULong blocks) {
  if (state != STATE_IDLE) allocator_thread_runs(tid);
}

static void thread_pauses(ThreadId tid, ULong blocks) { state_apply(); }

/* ---- signals ---- */

static void signal_begins(ThreadId tid, Int number, Bool on_other_stack) {
  if (state != STATE_IDLE) allocator_signal_begins(tid);
}

static void signal_ended(ThreadId tid, Int number) {
  if (state != STATE_IDLE) allocator_signal_ended(tid);
}

/* ---- new processes and new programs ---- */

static UInt forks;

static void before_fork(ThreadId tid) {
  if (state == STATE_IDLE || !option_follow) return;
  event(ABUT_RAW_FORK, ++forks, 0);
  stream_flush();
}

/* The child shares the parent's slots, and must not write there. */
static void in_child(ThreadId tid) {
  if (state == STATE_IDLE) return;
  UInt parent = stream_session();
  State was = state;
  stream_abandon();
  state_end();
  state_apply();
  if (!option_follow || !stream_open(parent, forks)) return;
  forks = 0;
  instructions_run = 0; /* the parent's */
  events_forget();
  allocator_forked(tid);
  event_program();
  event_modules_so_far();
  state_go_on(was);
  thread_begins(tid); /* where its stack is, the new reader does not know */
}

static Bool is_exec(UInt number) { return number == __NR_execve || number == __NR_execveat; }

static void before_call(ThreadId tid, UInt number, UWord *args, UInt count) {
  if (is_exec(number) && state != STATE_IDLE) stream_say_exec();
}

/* Advice after which a page's content is forgotten, at once or when memory is short. */
enum { ADVICE_DONTNEED = 4, ADVICE_FREE = 8, ADVICE_REMOVE = 9 };

static void after_call(ThreadId tid, UInt number, UWord *args, UInt count, SysRes result) {
  if (number != __NR_madvise || sr_isError(result)) return;
  if (args[2] == ADVICE_DONTNEED || args[2] == ADVICE_FREE || args[2] == ADVICE_REMOVE)
    discarded(args[0], args[1]);
}

void kernel_register(void) {
  VG_(track_pre_mem_read)(kernel_reads);
  VG_(track_pre_mem_read_asciiz)(kernel_reads_text);
  VG_(track_post_mem_write)(kernel_wrote);
  VG_(track_new_mem_mmap)(mapped);
  VG_(track_new_mem_startup)(mapped);
  VG_(track_change_mem_mprotect)(protected);
  VG_(track_die_mem_munmap)(unmapped);
  VG_(track_die_mem_brk)(unmapped);
  VG_(track_copy_mem_remap)(remapped);
  VG_(track_pre_thread_ll_create)(thread_created);
  VG_(track_pre_thread_first_insn)(thread_begins);
  VG_(track_start_client_code)(thread_runs);
  VG_(track_stop_client_code)(thread_pauses);
  VG_(track_pre_deliver_signal)(signal_begins);
  VG_(track_post_deliver_signal)(signal_ended);
  VG_(needs_syscall_wrapper)(before_call, after_call);
  VG_(atfork)(before_fork, NULL, in_child);
}
