/* abut: a Valgrind tool that records what a program does with its heap, and hands it to a collector.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *   main.c        options, the life of a process
 *   state.c       whether accesses are recorded now, and what changes that
 *   instrument.c  the code that is added to the program's, and writes addresses into the slot
 *   origins.c     from which load each value comes
 *   requests.c    requests of the wrappers, served from within translated code
 *   stream.c      slots, and the connection to the collector
 *   events.c      records of what happens: blocks, contexts, modules
 *   allocator.c   what the wrappers report: calls of the allocator, and how deep in it a thread is
 *   kernel.c      what the kernel does: memory that it reads and writes, mappings, threads, signals
 */
#ifndef ABUT_TOOL_H
#define ABUT_TOOL_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

#include "raw_stream.h"

/* ---- options ---- */

extern const HChar *option_socket; /* name of the collector's socket */
extern const HChar *option_from;   /* record from the first call of this function, or null */
extern Bool option_wait;           /* record from abut_trace_start on */
extern Bool option_follow;         /* record children, too */
extern Bool option_everything;     /* accesses of the stack and at fixed addresses, too */
extern ULong option_window_part;   /* of so many accesses … */
extern ULong option_window_whole;  /* … of every so many; 0: of all */

/* ---- stream.c ---- */

extern ULong *slot_next; /* where the next record goes */
extern ULong *slot_full; /* a slot that is filled up to here counts as full */

/* Connects with the collector. False where there is no answer, or this process is not to be recorded. */
Bool stream_open(UInt parent_session, UInt fork_number);
/* Hands over what is in the slot. */
void stream_flush(void);
void stream_say_exec(void);
/* Hands over the last of it, with the program's exit code. */
void stream_close(Int exit_code);
/* Forgets the connection, which is the parent's. */
void stream_abandon(void);
Bool stream_is_open(void);
UInt stream_session(void);

/* ---- events.c ---- */

/* Begins an event of `count` words, which the caller writes where this points to. */
ULong *event(UInt kind, ULong small_value, UInt count);
/* An event of these words. They are evaluated before it begins, and may be events themselves. */
#define RECORD(kind, small_value, ...)                                                             \
  do {                                                                                             \
    const ULong all_words[] = {__VA_ARGS__};                                                       \
    event_of(kind, small_value, sizeof all_words / sizeof *all_words, all_words);                  \
  } while (0)
void event_of(UInt kind, ULong small_value, UInt count, const ULong *words);
ULong event_time(void);
UInt event_context(ThreadId tid);
void event_module(Addr start, SizeT length);
/* Where code goes, contexts are recorded again: their addresses may come to mean other code. */
void event_unmap(Addr start, SizeT bytes);
void event_modules_so_far(void);
void event_program(void);
/* A new process has recorded nothing yet. */
void events_forget(void);

/* ---- state.c ---- */

typedef enum {
  STATE_IDLE,     /* this process is not recorded at all */
  STATE_PAUSED,   /* events, and no accesses */
  STATE_WAITING,  /* so, and waiting for a function */
  STATE_SKIPPING, /* so, and counting accesses, until the next window */
  STATE_RECORDING,
} State;

extern State state;
extern ULong accesses_counted;
extern ULong accesses_limit;   /* at which a window begins or ends */
extern ULong instructions_run; /* while accesses are recorded; sent when the stream ends */

void state_begin(void);
void state_start(void);
void state_stop(void);
/* A child goes on as its parent was. */
void state_go_on(State as_before);
/* No more recording in this process. */
void state_end(void);
/* Where no thread runs translated code: does what has been waiting for that. */
void state_apply(void);
void state_reached_function(void);
/* From here on no window begins or ends, or as before. */
void state_hold_window(Bool holds);

/* ---- instrument.c ---- */

IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                 const VexGuestExtents *extents, const VexArchInfo *arch, IRType guest_word,
                 IRType host_word);

/* A constant, and a new temporary with the value of an expression. */
IRExpr *number(ULong value);
IRExpr *assign(IRSB *out, IRType type, IRExpr *e);
IRExpr *plus(IRSB *out, IRExpr *e, ULong more);
IRExpr *is_less(IRSB *out, IRExpr *a, IRExpr *b);

/* ---- origins.c ---- */

void origins_begin(const IRSB *in, const VexGuestLayout *layout);
void origins_end(void);
/* After a statement: `load` is 1 + the number of the block's access that it reads with, or 0; `base` the head's place. */
void origins_follow(IRSB *out, const IRStmt *s, IRExpr *base, Int load);
/* The word for an access: its address, with the mark of where `from` comes from, which may be null. */
IRExpr *origins_mark(IRSB *out, IRExpr *address, const IRExpr *from, IRExpr *base, Int access);

/* ---- requests.c ---- */

/* Adds to the end of a block, where that is a request, that it is served from within. */
void serve_request_inside(IRSB *out, const VexGuestLayout *layout);

/* ---- allocator.c ---- */

void allocator_init(void);
Bool allocator_request(ThreadId tid, UWord *args, UWord *result);
/* The same from within translated code. False where it is not one that can be served there. */
Bool allocator_quick_request(ThreadId tid, const UWord *args);
void allocator_thread_begins(ThreadId tid);
void allocator_signal_begins(ThreadId tid);
void allocator_signal_ended(ThreadId tid);
Bool allocator_is_inside(ThreadId tid);
/* Makes the collector's notion of who runs that of this thread. */
void allocator_thread_runs(ThreadId tid);
UInt allocator_thread_number(ThreadId tid);
void allocator_forked(ThreadId tid);

/* ---- kernel.c ---- */

void kernel_register(void);

/* ---- main.c ---- */

/* One line on the program's standard error. */
void say(const HChar *text);

#endif
