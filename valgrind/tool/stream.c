/* Slots, and the connection to the collector.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "core.h"
#include "tool.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

ULong *slot_next, *slot_full;

/* Where records go that are not sent. */
static ULong discarded_words[2 * ABUT_RAW_SLACK_WORDS];

static Int connection = -1;
static ULong *slots;
static SizeT slots_bytes;
static UInt slot, slot_count, slot_words, session;
static UInt free_slots; /* without the current one */

static SysRes call(UWord number, UWord a, UWord b, UWord c, UWord d, UWord e, UWord f) {
  SysRes result;
  do result = VG_(do_syscall)(number, a, b, c, d, e, f, 0, 0);
  while (sr_isError(result) && sr_Err(result) == VKI_EINTR);
  return result;
}

static void discard_words(void) {
  slot_next = discarded_words;
  slot_full = discarded_words + ABUT_RAW_SLACK_WORDS;
}

static void use_slot(UInt which) {
  slot = which;
  slot_next = slots + (SizeT)which * slot_words;
  slot_full = slot_next + slot_words - ABUT_RAW_SLACK_WORDS;
}

/* ---- messages ---- */

/* The kernel's forms of what <sys/socket.h> declares. */
struct address {
  UShort family;
  HChar name[108];
};
struct pieces {
  void *base;
  UWord length;
};
struct header {
  void *name;
  Int name_length;
  struct pieces *pieces;
  UWord piece_count;
  void *control;
  UWord control_length;
  UInt flags;
};
struct control {
  UWord length;
  Int level, type;
  Int fd;
};

#define NO_SIGNAL 0x4000
#define SCM_RIGHTS_TYPE 1

static Bool send_bytes(const void *bytes, SizeT count) {
  SysRes sent = call(__NR_sendto, connection, (Addr)bytes, count, NO_SIGNAL, 0, 0);
  return !sr_isError(sent) && sr_Res(sent) == count;
}

static Bool send_message(UInt kind, UInt which, ULong words) {
  struct abut_raw_message message = {kind, which, words};
  return send_bytes(&message, sizeof message);
}

/* The next message's kind; ABUT_RAW_STOP where the collector is gone. */
static UInt receive_kind(void) {
  struct abut_raw_message message;
  SysRes got = call(__NR_recvfrom, connection, (Addr)&message, sizeof message, 0, 0, 0);
  if (sr_isError(got) || sr_Res(got) != sizeof message) return ABUT_RAW_STOP;
  return message.kind;
}

/* ---- connecting ---- */

static Int connect_to(const HChar *name) {
  struct address address = {.family = VKI_AF_UNIX};
  SizeT length = VG_(strlen)(name);
  if (length + 1 > sizeof address.name) return -1;
  VG_(memcpy)(address.name + 1, name, length); /* a zero byte first: a name that is no file */
  SysRes made = call(__NR_socket, VKI_AF_UNIX, 5 /* SOCK_SEQPACKET */, 0, 0, 0, 0);
  if (sr_isError(made)) return -1;
  Int fd = VG_(safe_fd)(sr_Res(made));
  SysRes done = call(__NR_connect, fd, (Addr)&address,
                     __builtin_offsetof(struct address, name) + 1 + length, 0, 0, 0);
  if (!sr_isError(done)) return fd;
  VG_(close)(fd);
  return -1;
}

/* The file descriptor of the shared memory, or -1. */
static Int receive_welcome(struct abut_raw_welcome *welcome) {
  struct control control = {0};
  struct pieces piece = {welcome, sizeof *welcome};
  struct header header = {.pieces = &piece, .piece_count = 1, .control = &control};
  header.control_length = sizeof control;
  SysRes got = call(__NR_recvmsg, connection, (Addr)&header, 0, 0, 0, 0);
  if (sr_isError(got) || sr_Res(got) != sizeof *welcome || !welcome->accepted) return -1;
  return control.type == SCM_RIGHTS_TYPE ? control.fd : -1;
}

static Bool map_slots(const struct abut_raw_welcome *welcome, Int fd) {
  slots_bytes = (SizeT)welcome->slots * welcome->slot_words * sizeof(ULong);
  SysRes mapped =
      VG_(am_shared_mmap_file_float_valgrind)(slots_bytes, VKI_PROT_READ | VKI_PROT_WRITE, fd, 0);
  if (sr_isError(mapped)) return False;
  slots = (ULong *)sr_Res(mapped);
  slot_count = welcome->slots;
  slot_words = welcome->slot_words;
  session = welcome->session;
  free_slots = slot_count - 1;
  return True;
}

Bool stream_open(UInt parent_session, UInt fork_number) {
  struct abut_raw_welcome welcome = {0};
  struct abut_raw_hello hello = {ABUT_RAW_MAGIC, ABUT_RAW_VERSION, VG_(getpid)(), parent_session,
                                 fork_number};
  discard_words();
  if (option_socket == NULL || (connection = connect_to(option_socket)) < 0) return False;
  Int fd = send_bytes(&hello, sizeof hello) ? receive_welcome(&welcome) : -1;
  Bool mapped = fd >= 0 && map_slots(&welcome, fd);
  if (fd >= 0) VG_(close)(fd);
  if (mapped)
    use_slot(0);
  else
    stream_abandon();
  return mapped;
}

void stream_abandon(void) {
  if (connection >= 0) VG_(close)(connection);
  connection = -1;
  if (slots != NULL) VG_(am_munmap_valgrind)((Addr)slots, slots_bytes);
  slots = NULL;
  discard_words();
}

Bool stream_is_open(void) { return connection >= 0; }
UInt stream_session(void) { return session; }

/* ---- slots ---- */

static void give_up(void) {
  stream_abandon();
  state_end();
}

/* Takes the next slot, and waits for it where the collector still reads in all others. */
static Bool take_slot(void) {
  while (free_slots == 0) {
    UInt kind = receive_kind();
    if (kind == ABUT_RAW_STOP) return False;
    free_slots += kind == ABUT_RAW_FREED;
  }
  --free_slots;
  use_slot((slot + 1) % slot_count);
  return True;
}

void stream_flush(void) {
  if (connection < 0) {
    discard_words();
    return;
  }
  ULong words = slot_next - (slots + (SizeT)slot * slot_words);
  tl_assert(words <= slot_words);
  if (words == 0) return;
  if (!send_message(ABUT_RAW_FILLED, slot, words) || !take_slot()) give_up();
}

/* The last of what there is. */
static void flush_all(void) {
  RECORD(ABUT_RAW_INSTRUCTIONS, 0, instructions_run);
  instructions_run = 0;
  stream_flush();
}

void stream_say_exec(void) {
  if (connection < 0) return;
  flush_all();
  if (connection >= 0) send_message(ABUT_RAW_EXEC, 0, 0);
}

void stream_close(Int exit_code) {
  if (connection < 0) return;
  flush_all();
  if (connection >= 0) send_message(ABUT_RAW_ENDED, 0, (ULong)(UInt)exit_code);
  stream_abandon();
}
