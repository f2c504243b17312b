/* Records of what happens: blocks, contexts, modules.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "core.h"
#include "tool.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_clientstate.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

ULong *event(UInt kind, ULong small_value, UInt count) {
  tl_assert(count <= ABUT_RAW_MOST_WORDS);
  if (slot_next > slot_full) stream_flush();
  ULong *words = slot_next;
  slot_next += 1 + count;
  words[0] = abut_raw_event(kind, small_value, count);
  return words + 1;
}

void event_of(UInt kind, ULong small_value, UInt count, const ULong *words) {
  VG_(memcpy)(event(kind, small_value, count), words, count * sizeof(ULong));
}

ULong event_time(void) {
  UInt low, high;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  return (ULong)high << 32 | low;
}

/* ---- contexts: each is recorded once, then named by its number ---- */

static UChar *announced; /* a bit for each context */
static UInt announced_bytes;

static Bool is_announced(UInt context) {
  UInt index = context / 4; /* the core numbers them in steps of four */
  if (index / 8 >= announced_bytes) {
    UInt bytes = 2 * (index / 8) + 4096;
    announced = VG_(realloc)("abut.announced", announced, bytes);
    VG_(memset)(announced + announced_bytes, 0, bytes - announced_bytes);
    announced_bytes = bytes;
  }
  UChar bit = 1 << (index % 8);
  Bool was = (announced[index / 8] & bit) != 0;
  announced[index / 8] |= bit;
  return was;
}

UInt event_context(ThreadId tid) {
  ExeContext *context = VG_(record_ExeContext)(tid, 0);
  UInt number = VG_(get_ECU_from_ExeContext)(context);
  if (!is_announced(number)) {
    UInt depth = VG_(get_ExeContext_n_ips)(context);
    const Addr *chain = VG_(get_ExeContext_StackTrace)(context);
    ULong *words = event(ABUT_RAW_CONTEXT, 0, 1 + depth);
    words[0] = number;
    for (UInt i = 0; i < depth; ++i) words[1 + i] = chain[i];
  }
  return number;
}

void events_forget(void) { VG_(memset)(announced, 0, announced_bytes); }

/* ---- modules ---- */

#define MOST_MODULES 2048

static struct { Addr start, end; } modules[MOST_MODULES];
static UInt module_count;

static void remember_module(Addr start, Addr end) {
  for (UInt i = 0; i < module_count; ++i)
    if (modules[i].start == start && modules[i].end == end) return;
  if (module_count == MOST_MODULES) return;
  modules[module_count].start = start;
  modules[module_count++].end = end;
}

/* A context that was recorded may have been in what was there, and is another one from here on. */
void event_unmap(Addr start, SizeT bytes) {
  Addr end = start + bytes;
  Bool had_code = module_count == MOST_MODULES;
  RECORD(ABUT_RAW_UNMAP, 0, start, bytes);
  for (UInt i = module_count; i > 0; --i) {
    if (modules[i - 1].end <= start || end <= modules[i - 1].start) continue;
    had_code = True;
    if (start <= modules[i - 1].start && modules[i - 1].end <= end)
      modules[i - 1] = modules[--module_count];
  }
  if (had_code) events_forget();
}

/* An event that ends in a text, after `before` words that the caller writes. */
static ULong *event_with_text(UInt kind, const HChar *text, SizeT length, UInt before) {
  UInt text_words = (length + sizeof(ULong) - 1) / sizeof(ULong);
  ULong *words = event(kind, length, before + text_words);
  if (text_words > 0) words[before + text_words - 1] = 0;
  VG_(memcpy)(words + before, text, length);
  return words;
}

void event_module(Addr start, SizeT length) {
  const NSegment *segment = VG_(am_find_nsegment)(start);
  const HChar *path = segment != NULL ? VG_(am_get_filename)(segment) : NULL;
  Addr own_code = (Addr)event_module;
  if (path == NULL || segment->kind != SkFileC || own_code - start < length) return;
  SizeT path_length = VG_(strlen)(path);
  if (path_length > 4096) return;
  remember_module(start, start + length);
  ULong *words = event_with_text(ABUT_RAW_MODULE, path, path_length, 3);
  words[0] = start;
  words[1] = length;
  words[2] = segment->offset + (start - segment->start);
}

void event_modules_so_far(void) {
  Addr starts[MOST_MODULES];
  Int count = VG_(am_get_segment_starts)(SkFileC, starts, MOST_MODULES);
  for (Int i = 0; i < count; ++i) {
    const NSegment *segment = VG_(am_find_nsegment)(starts[i]);
    if (segment != NULL && segment->hasX)
      event_module(segment->start, segment->end - segment->start + 1);
  }
}

/* ---- the program ---- */

void event_program(void) {
  static HChar text[(ABUT_RAW_MOST_WORDS - 1) * sizeof(ULong)];
  SizeT length = 0;
  Word count = VG_(sizeXA)(VG_(args_for_client));
  for (Word i = -1; i < count; ++i) {
    const HChar *word =
        i < 0 ? VG_(args_the_exename) : *(HChar **)VG_(indexXA)(VG_(args_for_client), i);
    SizeT bytes = word != NULL ? VG_(strlen)(word) + 1 : 0;
    if (bytes == 0 || length + bytes > sizeof text) break; /* what does not fit is left out */
    VG_(memcpy)(text + length, word, bytes);
    length += bytes;
  }
  event_with_text(ABUT_RAW_PROGRAM, text, length, 0);
}
