/* Whether accesses are recorded now, and what changes that.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Code is translated for the state of the moment, so that what is not recorded costs little. Where the state changes,
 * all translations are discarded, which may only be done while no thread runs translated code: state_apply is called then.
 */
#include "core.h"
#include "tool.h"

State state = STATE_IDLE;
ULong accesses_counted, accesses_limit, instructions_run;

static Bool discard_is_due;

static void record_state(Bool recording) {
  if (stream_is_open()) RECORD(ABUT_RAW_RECORDING, recording, event_time());
}

static void change(State to) {
  Bool recorded = state == STATE_RECORDING;
  if (to == state) return;
  state = to;
  discard_is_due = True;
  if (recorded != (to == STATE_RECORDING)) record_state(to == STATE_RECORDING);
}

#define NEVER (1ull << 63)

/* Of the part of the window that this is. */
static ULong limit(void) {
  return state == STATE_RECORDING ? option_window_part : option_window_whole - option_window_part;
}

static void next_window_part(void) {
  change(state == STATE_RECORDING ? STATE_SKIPPING : STATE_RECORDING);
  accesses_counted = 0;
  accesses_limit = limit();
}

void state_hold_window(Bool holds) { accesses_limit = holds ? NEVER : limit(); }

void state_begin(void) {
  if (option_from == NULL && !option_wait) {
    state_start();
    return;
  }
  change(option_from != NULL ? STATE_WAITING : STATE_PAUSED);
  record_state(False);
}

void state_start(void) {
  if (state == STATE_IDLE && !stream_is_open()) return;
  if (option_window_whole == 0)
    change(STATE_RECORDING);
  else if (state != STATE_RECORDING && state != STATE_SKIPPING)
    next_window_part();
}

void state_stop(void) {
  if (state != STATE_IDLE) change(STATE_PAUSED);
}

void state_go_on(State as_before) {
  state = as_before;
  record_state(as_before == STATE_RECORDING);
}

void state_end(void) { change(STATE_IDLE); }

void state_reached_function(void) {
  if (state == STATE_WAITING) state_start();
}

void state_apply(void) {
  Bool is_windowed = option_window_whole != 0;
  if (is_windowed && (state == STATE_RECORDING || state == STATE_SKIPPING) &&
      accesses_counted >= accesses_limit)
    next_window_part();
  if (!discard_is_due) return;
  discard_is_due = False;
  VG_(discard_translations)(0x1000, (1ull << 47) - 0x1000, "abut");
}
