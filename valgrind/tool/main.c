/* Options, and the life of a process.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "core.h"
#include "tool.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_options.h"
#include "pub_tool_tooliface.h"

const HChar *option_socket, *option_from;
Bool option_wait, option_follow, option_everything;
ULong option_window_part, option_window_whole;

void say(const HChar *text) {
  VG_(write)(2, "abut: ", 6);
  VG_(write)(2, text, VG_(strlen)(text));
  VG_(write)(2, "\n", 1);
}

/* PART/WHOLE, both numbers of accesses. */
static Bool set_window(const HChar *text) {
  HChar *rest;
  option_window_part = VG_(strtoull10)(text, &rest);
  if (*rest != '/') return False;
  option_window_whole = VG_(strtoull10)(rest + 1, &rest);
  return *rest == 0 && option_window_part > 0 && option_window_part < option_window_whole;
}

static Bool take_option(const HChar *arg) {
  const HChar *window = NULL;
  if (VG_STR_CLO(arg, "--socket", option_socket)) {
  } else if (VG_STR_CLO(arg, "--from", option_from)) {
  } else if (VG_BOOL_CLO(arg, "--wait", option_wait)) {
  } else if (VG_BOOL_CLO(arg, "--follow", option_follow)) {
  } else if (VG_BOOL_CLO(arg, "--everything", option_everything)) {
  } else if (VG_STR_CLO(arg, "--window", window)) {
    if (!set_window(window))
      VG_(fmsg_bad_option)(arg, "say --window=PART/WHOLE, PART being less than WHOLE\n");
  } else {
    return False;
  }
  return True;
}

static void print_usage(void) {
  VG_(printf)
  ("    --socket=NAME             the collector's socket\n"
   "    --from=FUNCTION           record accesses from its first call on\n"
   "    --wait=no|yes             record accesses from abut_trace_start on [no]\n"
   "    --window=PART/WHOLE       record PART accesses of every WHOLE\n"
   "    --follow=no|yes           record forked children, too [no]\n"
   "    --everything=no|yes       the stack and fixed addresses, too [no]\n");
}

static void print_debug_usage(void) { VG_(printf)("    (none)\n"); }

/* The variable is the tool's own: the program and its children must not see it. The program's loader expects the
 * auxiliary vector, which ends with a zero, right after the environment; so all of it moves down. */
static void hide_library_folder(void) {
  HChar **entry = VG_(client_envp);
  while (*entry != NULL && VG_(strncmp)(*entry, "VALGRIND_LIB=", 13) != 0) ++entry;
  if (*entry == NULL) return;
  UWord *end = (UWord *)entry;
  while (*end != 0) ++end;
  for (++end; *end != 0; end += 2) {
  }
  VG_(memmove)(entry, entry + 1, (Addr)(end + 2) - (Addr)(entry + 1));
  --VG_(client_auxv);
}

static void begin(void) {
  hide_library_folder();
  allocator_init();
  if (!stream_open(0, 0)) {
    say("the collector does not answer; this process is not recorded. Start it with: abut record");
    return;
  }
  event_program();
  state_begin();
}

static void end(Int exit_code) { stream_close(exit_code); }

static void register_tool(void) {
  VG_(details_name)("abut");
  VG_(details_version)(NULL);
  VG_(details_description)("a recorder of heap accesses");
  VG_(details_copyright_author)("Copyright the authors of abut; GNU GPL 2 or later.");
  VG_(details_bug_reports_to)("the project abut");
  VG_(details_avg_translation_sizeB)(400);
  VG_(basic_tool_funcs)(begin, instrument, end);
  VG_(needs_command_line_options)(take_option, print_usage, print_debug_usage);
  VG_(needs_client_requests)(allocator_request);
  kernel_register();
}

VG_DETERMINE_INTERFACE_VERSION(register_tool)
