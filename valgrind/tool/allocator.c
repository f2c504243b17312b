/* What the wrappers tell: calls of the allocator, and how deep in it a thread is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One allocation may pass several wrappers (operator new calls malloc). The outermost counts. An exception or a longjmp
 * leaves wrappers without a word; their frames are known to be gone when a later one lies at the same address of the
 * stack or above.
 */
#include "core.h"
#include "tool.h"

#include "../requests.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

#define MOST_DEPTH 64

typedef struct {
  UInt number;
  UInt depth;
  Addr frames[MOST_DEPTH];
  /* While a signal handler runs, what it interrupted. */
  UInt interrupted_count;
  UInt interrupted[16];
} Thread;

static Thread *threads;
static UInt thread_count;
static ThreadId running = VG_INVALID_THREADID;

void allocator_init(void) { threads = VG_(calloc)("abut.threads", VG_N_THREADS, sizeof(Thread)); }

void allocator_thread_begins(ThreadId tid) {
  VG_(memset)(&threads[tid], 0, sizeof threads[tid]);
  threads[tid].number = ++thread_count;
}

UInt allocator_thread_number(ThreadId tid) {
  if (threads[tid].number == 0) allocator_thread_begins(tid);
  return threads[tid].number;
}

void allocator_thread_runs(ThreadId tid) {
  if (tid == running) return;
  running = tid;
  event(ABUT_RAW_THREAD, allocator_thread_number(tid), 0);
}

void allocator_forked(ThreadId tid) {
  Thread self = threads[tid];
  VG_(memset)(threads, 0, VG_N_THREADS * sizeof(Thread));
  thread_count = 1;
  threads[tid] = self;
  threads[tid].number = 1;
  running = VG_INVALID_THREADID;
}

/* ---- depth ---- */

static void leave_all(Thread *thread) {
  if (thread->depth > 0) event(ABUT_RAW_LEAVE, 0, 0);
  thread->depth = 0;
}

/* Forgets wrappers whose frames are gone now that `frame` is the deepest. */
static void forget_deeper(Thread *thread, Addr frame) {
  UInt depth = thread->depth;
  while (depth > 0 && thread->frames[depth - 1] <= frame) --depth;
  if (depth == 0) leave_all(thread);
  thread->depth = depth;
}

/* Whether this is the outermost wrapper. */
static Bool enter(Thread *thread, Addr frame) {
  forget_deeper(thread, frame);
  if (thread->depth == MOST_DEPTH) return False;
  thread->frames[thread->depth++] = frame;
  if (thread->depth > 1) return False;
  event(ABUT_RAW_ENTER, 0, 0);
  return True;
}

static Bool leave(Thread *thread, Addr frame) {
  forget_deeper(thread, frame);
  return thread->depth == 0;
}

void allocator_signal_begins(ThreadId tid) {
  Thread *thread = &threads[tid];
  if (thread->interrupted_count < 16)
    thread->interrupted[thread->interrupted_count] = thread->depth;
  ++thread->interrupted_count;
  allocator_thread_runs(tid);
  leave_all(thread);
}

void allocator_signal_ended(ThreadId tid) {
  Thread *thread = &threads[tid];
  if (thread->interrupted_count == 0) return;
  UInt which = --thread->interrupted_count;
  allocator_thread_runs(tid);
  leave_all(thread);
  thread->depth = which < 16 ? thread->interrupted[which] : 0;
  if (thread->depth > 0) event(ABUT_RAW_ENTER, 0, 0);
}

/* ---- events ---- */

static void tell_allocated(ThreadId tid, Addr block, SizeT bytes, SizeT alignment) {
  if (block == 0) return;
  UInt context = event_context(tid);
  ULong *words = event(ABUT_RAW_ALLOCATE, alignment, 4);
  words[0] = event_time();
  words[1] = block;
  words[2] = bytes;
  words[3] = context;
}

static void tell_begin(UInt kind, Addr block) {
  if (block == 0) return;
  ULong *words = event(kind, 0, 2);
  words[0] = event_time();
  words[1] = block;
}

static void tell_resized(ThreadId tid, Addr block, SizeT bytes, Bool unchanged) {
  UInt context = event_context(tid);
  ULong *words = event(ABUT_RAW_RESIZED, unchanged, 4);
  words[0] = event_time();
  words[1] = block;
  words[2] = bytes;
  words[3] = context;
}

static void tell_pair(UInt kind, ULong first, ULong second) {
  ULong *words = event(kind, 0, 3);
  words[0] = event_time();
  words[1] = first;
  words[2] = second;
}

static void tell_usable(Addr block, SizeT bytes) {
  ULong *words = event(ABUT_RAW_USABLE, 0, 2);
  words[0] = block;
  words[1] = bytes;
}

static void serve(ThreadId tid, Thread *thread, const UWord *args) {
  switch (args[0]) {
  case ABUT_REQUEST_ENTER_ALLOCATE: enter(thread, args[1]); break;
  case ABUT_REQUEST_ENTER_FREE:
    if (enter(thread, args[1])) tell_begin(ABUT_RAW_FREE, args[2]);
    break;
  case ABUT_REQUEST_ENTER_RESIZE:
    if (enter(thread, args[1])) tell_begin(ABUT_RAW_RESIZE, args[2]);
    break;
  case ABUT_REQUEST_LEAVE_ALLOCATE:
    if (leave(thread, args[1])) tell_allocated(tid, args[2], args[3], args[4]);
    break;
  case ABUT_REQUEST_LEAVE_FREE: leave(thread, args[1]); break;
  case ABUT_REQUEST_LEAVE_RESIZE:
    if (leave(thread, args[1])) tell_resized(tid, args[2], args[3], args[4]);
    break;
  case ABUT_REQUEST_LANDED: forget_deeper(thread, args[1]); break;
  case ABUT_REQUEST_JUMP:
    leave_all(thread);
    thread->interrupted_count = 0;
    break;
  case ABUT_REQUEST_USABLE:
    if (thread->depth == 0) tell_usable(args[1], args[2]);
    break;
  case ABUT_REQUEST_NEAR:
    if (args[1] != 0 && args[2] != 0) tell_pair(ABUT_RAW_NEAR, args[1], args[2]);
    break;
  case ABUT_REQUEST_TOUCH: tell_pair(ABUT_RAW_TOUCH, args[1], args[2]); break;
  case ABUT_REQUEST_START: state_start(); break;
  case ABUT_REQUEST_STOP: state_stop(); break;
  default: break;
  }
}

Bool allocator_request(ThreadId tid, UWord *args, UWord *result) {
  if (!VG_IS_TOOL_USERREQ('A', 'B', args[0])) return False;
  *result = 0;
  if (state != STATE_IDLE) {
    allocator_thread_runs(tid);
    serve(tid, &threads[tid], args);
    state_apply();
  }
  return True;
}
