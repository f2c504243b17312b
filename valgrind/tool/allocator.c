/* What the wrappers report: calls of the allocator, and how deep in it a thread is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One allocation may pass several wrappers (operator new calls malloc). The outermost counts. An exception or a longjmp
 * leaves wrappers without a word; their frames are known to be gone when a later one lies at the same address of the
 * stack or above. While a signal handler runs, or an exception is made, the program is outside of wrappers that it will
 * come back to: those below the floor.
 */
#include "core.h"
#include "tool.h"

#include "../requests.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

#define MOST_DEPTH 64
#define MOST_LEFT 16

typedef struct {
  UInt number;
  UInt depth, floor;
  Addr frames[MOST_DEPTH];
  UInt left_count;
  UInt left_floors[MOST_LEFT];
  ULong counted; /* accesses, when the thread went into the allocator */
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

static Bool is_inside(const Thread *thread) { return thread->depth > thread->floor; }

/* Windows are of the program's own accesses, so that under each heap they are the same parts of the run. None begins or ends
 * inside the allocator. */
static void count_without_allocator(Thread *thread, Bool leaves) {
  if (leaves)
    accesses_counted = thread->counted;
  else
    thread->counted = accesses_counted;
  state_hold_window(!leaves);
}

static void set_depth(Thread *thread, UInt depth, UInt floor) {
  Bool was_inside = is_inside(thread);
  thread->depth = depth;
  thread->floor = floor;
  if (was_inside == is_inside(thread)) return;
  event(was_inside ? ABUT_RAW_LEAVE : ABUT_RAW_ENTER, 0, 0);
  count_without_allocator(thread, was_inside);
}

/* Forgets wrappers whose frames are gone now that `frame` is the deepest. */
static void forget_deeper(Thread *thread, Addr frame) {
  UInt depth = thread->depth;
  while (depth > thread->floor && thread->frames[depth - 1] <= frame) --depth;
  set_depth(thread, depth, thread->floor);
}

/* Whether this is the outermost wrapper. */
static Bool enter(Thread *thread, Addr frame) {
  forget_deeper(thread, frame);
  if (thread->depth == MOST_DEPTH) return False;
  Bool is_outermost = !is_inside(thread);
  thread->frames[thread->depth] = frame;
  set_depth(thread, thread->depth + 1, thread->floor);
  return is_outermost;
}

static Bool leave(Thread *thread, Addr frame) {
  forget_deeper(thread, frame);
  return !is_inside(thread);
}

/* Goes out of all wrappers, to come back. */
static void step_out(Thread *thread) {
  if (thread->left_count < MOST_LEFT) thread->left_floors[thread->left_count] = thread->floor;
  ++thread->left_count;
  set_depth(thread, thread->depth, thread->depth);
}

static void step_back(Thread *thread) {
  if (thread->left_count == 0) return;
  UInt which = --thread->left_count;
  UInt depth = thread->floor;
  set_depth(thread, depth, which < MOST_LEFT ? thread->left_floors[which] : depth);
}

/* Goes out of all wrappers for good. */
static void jump_out(Thread *thread) {
  set_depth(thread, 0, 0);
  thread->left_count = 0;
}

void allocator_signal_begins(ThreadId tid) {
  allocator_thread_runs(tid);
  step_out(&threads[tid]);
}

void allocator_signal_ended(ThreadId tid) {
  allocator_thread_runs(tid);
  step_back(&threads[tid]);
}

Bool allocator_is_inside(ThreadId tid) { return is_inside(&threads[tid]); }

/* ---- events ---- */

static void record_allocation(ThreadId tid, Addr block, SizeT bytes, SizeT alignment) {
  if (block != 0)
    RECORD(ABUT_RAW_ALLOCATE, alignment, event_time(), block, bytes, event_context(tid));
}

static void record_free(Addr block, Addr caller) {
  if (block != 0) RECORD(ABUT_RAW_FREE, 0, event_time(), block, caller);
}

static void record_resize(Addr block) {
  if (block != 0) RECORD(ABUT_RAW_RESIZE, 0, event_time(), block);
}

static void record_resized(ThreadId tid, Addr block, SizeT bytes, Bool unchanged) {
  RECORD(ABUT_RAW_RESIZED, unchanged, event_time(), block, bytes, event_context(tid));
}

static void serve(ThreadId tid, Thread *thread, const UWord *args) {
  switch (args[0]) {
  case ABUT_REQUEST_ENTER_ALLOCATE: enter(thread, args[1]); break;
  case ABUT_REQUEST_ENTER_FREE:
    if (enter(thread, args[1])) record_free(args[2], args[3]);
    break;
  case ABUT_REQUEST_ENTER_RESIZE:
    if (enter(thread, args[1])) record_resize(args[2]);
    break;
  case ABUT_REQUEST_LEAVE_ALLOCATE:
    if (leave(thread, args[1])) record_allocation(tid, args[2], args[3], args[4]);
    break;
  case ABUT_REQUEST_LEAVE_FREE: leave(thread, args[1]); break;
  case ABUT_REQUEST_LEAVE_RESIZE:
    if (leave(thread, args[1])) record_resized(tid, args[2], args[3], args[4]);
    break;
  case ABUT_REQUEST_LANDED: forget_deeper(thread, args[1]); break;
  case ABUT_REQUEST_STEP_OUT: step_out(thread); break;
  case ABUT_REQUEST_STEP_BACK: step_back(thread); break;
  case ABUT_REQUEST_JUMP: jump_out(thread); break;
  case ABUT_REQUEST_USABLE:
    if (thread->depth == 0) RECORD(ABUT_RAW_USABLE, 0, args[1], args[2]);
    break;
  case ABUT_REQUEST_NEAR:
    if (args[1] != 0 && args[2] != 0) RECORD(ABUT_RAW_NEAR, 0, event_time(), args[1], args[2]);
    break;
  case ABUT_REQUEST_TOUCH: RECORD(ABUT_RAW_TOUCH, 0, event_time(), args[1], args[2]); break;
  case ABUT_REQUEST_START: state_start(); break;
  case ABUT_REQUEST_STOP: state_stop(); break;
  default: break;
  }
}

/* Where translated code runs, which may not be discarded. Marks are not served here. */
Bool allocator_quick_request(ThreadId tid, const UWord *args) {
  if (!VG_IS_TOOL_USERREQ('A', 'B', args[0]) || args[0] >= ABUT_REQUEST_START) return False;
  if (state != STATE_IDLE) {
    allocator_thread_runs(tid);
    serve(tid, &threads[tid], args);
  }
  return True;
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
