/* The client requests by which the wrappers, and marks in a program, speak to the tool.
 *
 * SPDX-License-Identifier: MIT. It needs valgrind.h alone, which is under a BSD-style licence.
 */
#ifndef ABUT_VALGRIND_REQUESTS_H
#define ABUT_VALGRIND_REQUESTS_H

#include <valgrind/valgrind.h>

/* The first argument of the first seven is the address of the wrapper's frame. */
enum abut_request {
  ABUT_REQUEST_ENTER_ALLOCATE = VG_USERREQ_TOOL_BASE('A', 'B'), /* frame */
  ABUT_REQUEST_LEAVE_ALLOCATE,                                  /* frame, block, size, alignment */
  ABUT_REQUEST_ENTER_FREE,                                      /* frame, block, caller */
  ABUT_REQUEST_LEAVE_FREE,                                      /* frame */
  ABUT_REQUEST_ENTER_RESIZE,                                    /* frame, block */
  ABUT_REQUEST_LEAVE_RESIZE, /* frame, new block, size, 1 where the old block stays as it was */
  ABUT_REQUEST_LANDED,       /* frame: what lies deeper on the stack is no more */
  ABUT_REQUEST_JUMP,         /* the thread leaves all wrappers */
  ABUT_REQUEST_STEP_OUT,     /* the thread leaves all wrappers, and will ... */
  ABUT_REQUEST_STEP_BACK,    /* ... be back in them */
  ABUT_REQUEST_USABLE,       /* block, bytes that the program learned that it may use */
  ABUT_REQUEST_NEAR,         /* block, the block that it should be near to */
  ABUT_REQUEST_TOUCH,        /* address, weight */
  /* include/abut/trace_marks.h has these as numbers */
  ABUT_REQUEST_START = VG_USERREQ_TOOL_BASE('A', 'B') + 0x100,
  ABUT_REQUEST_STOP
};

#endif
