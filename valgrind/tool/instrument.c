/* The code that is added to the program's, and writes addresses into the slot.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A block of code with accesses begins by asking whether the slot is full. Then, before each access, its address is
 * stored in the slot, marked with where it comes from (origins.c); before each exit, the head with the number of
 * addresses so far, and the new end of the slot. What does not depend on the run (sizes, reads or writes, places in the
 * code) is recorded once, when the block is translated.
 */
#include "tool.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"

/* One place in a block that reads or writes memory. */
typedef struct {
  IRExpr *address;
  const IRExpr *from; /* what it waits for: its address, or what it writes; null: nothing */
  IRExpr *guard;      /* null where it is certain to take place */
  UInt size;
  Bool writes;
  Addr code;
  Int statement; /* of the block that came in */
} Access;

#define MOST_ACCESSES 1024

static Access accesses[MOST_ACCESSES];
static Int access_count;
static UInt block_count;

/* ---- finding the accesses of a block ---- */

typedef struct {
  const IRSB *block;
  Bool *is_stack; /* temporaries at a fixed distance from the stack pointer */
  Bool all;       /* fixed addresses, and the stack's */
  Bool constants; /* fixed addresses */
  Int stack_pointer;
  Addr code;
  Int instruction; /* the statement that it begins with */
  Int statement;
} Search;

static Bool is_of_stack(const Search *search, const IRExpr *e) {
  return e->tag == Iex_RdTmp && search->is_stack[e->Iex.RdTmp.tmp];
}

static void found(Search *search, IRExpr *address, const IRExpr *from, IRExpr *guard, UInt size,
                  Bool writes) {
  if (!search->all && is_of_stack(search, address)) return;
  if (!search->constants && address->tag == Iex_Const) return;
  tl_assert(access_count < MOST_ACCESSES);
  Access *access = &accesses[access_count++];
  access->address = address;
  access->from = from;
  access->guard = guard;
  access->size = size;
  access->writes = writes;
  access->code = search->code;
  access->statement = search->statement;
}

static Bool keeps_to_stack(const Search *search, const IRExpr *e) {
  if (e->tag == Iex_Get)
    return e->Iex.Get.offset == search->stack_pointer && e->Iex.Get.ty == Ity_I64;
  if (e->tag == Iex_Binop)
    return (e->Iex.Binop.op == Iop_Add64 || e->Iex.Binop.op == Iop_Sub64 ||
            e->Iex.Binop.op == Iop_And64) &&
           is_of_stack(search, e->Iex.Binop.arg1) && e->Iex.Binop.arg2->tag == Iex_Const;
  return is_of_stack(search, e);
}

static void look_at_value(Search *search, IRTemp to, IRExpr *e) {
  if (e->tag == Iex_Load)
    found(search, e->Iex.Load.addr, e->Iex.Load.addr, NULL, sizeofIRType(e->Iex.Load.ty), False);
  else if (keeps_to_stack(search, e))
    search->is_stack[to] = True;
}

static UInt size_of(const Search *search, IRExpr *e) {
  return sizeofIRType(typeOfIRExpr(search->block->tyenv, e));
}

static void look_at_dirty(Search *search, IRDirty *d) {
  if (d->mFx == Ifx_Read || d->mFx == Ifx_Modify)
    found(search, d->mAddr, d->mAddr, d->guard, d->mSize, False);
  if (d->mFx == Ifx_Write || d->mFx == Ifx_Modify)
    found(search, d->mAddr, NULL, d->guard, d->mSize, True);
}

static Bool is_same(const IRExpr *a, const IRExpr *b) {
  if (a->tag == Iex_RdTmp && b->tag == Iex_RdTmp) return a->Iex.RdTmp.tmp == b->Iex.RdTmp.tmp;
  return a->tag == Iex_Const && b->tag == Iex_Const &&
         a->Iex.Const.con->Ico.U64 == b->Iex.Const.con->Ico.U64;
}

/* Whether this instruction has a load of the same place before. */
static Bool is_read_before(const Search *search, const IRExpr *address, UInt size) {
  for (Int i = access_count; i > 0 && accesses[i - 1].statement > search->instruction; --i) {
    const Access *access = &accesses[i - 1];
    if (!access->writes && access->size == size && is_same(access->address, address)) return True;
  }
  return False;
}

/* The core makes one of `lock xadd` and the like, too, behind a load: the processor reads once. */
static void look_at_exchange(Search *search, IRCAS *cas) {
  UInt size = size_of(search, cas->dataLo) * (cas->dataHi != NULL ? 2 : 1);
  if (!is_read_before(search, cas->addr, size))
    found(search, cas->addr, cas->addr, NULL, size, False);
  found(search, cas->addr, cas->dataLo, NULL, size, True);
}

static void look_at_guarded_load(Search *search, IRLoadG *load) {
  IRType result, loaded;
  typeOfIRLoadGOp(load->cvt, &result, &loaded);
  found(search, load->addr, load->addr, load->guard, sizeofIRType(loaded), False);
}

static void look_at(Search *search, IRStmt *s) {
  switch (s->tag) {
  case Ist_IMark:
    search->code = s->Ist.IMark.addr;
    search->instruction = search->statement;
    break;
  case Ist_WrTmp: look_at_value(search, s->Ist.WrTmp.tmp, s->Ist.WrTmp.data); break;
  case Ist_Store:
    found(search, s->Ist.Store.addr, s->Ist.Store.data, NULL, size_of(search, s->Ist.Store.data),
          True);
    break;
  case Ist_StoreG: {
    IRStoreG *store = s->Ist.StoreG.details;
    found(search, store->addr, store->data, store->guard, size_of(search, store->data), True);
    break;
  }
  case Ist_LoadG: look_at_guarded_load(search, s->Ist.LoadG.details); break;
  case Ist_CAS: look_at_exchange(search, s->Ist.CAS.details); break;
  case Ist_Dirty: look_at_dirty(search, s->Ist.Dirty.details); break;
  default: break;
  }
}

/* Code that a program makes as it runs may hold addresses of blocks as numbers. */
static Bool is_made_at_run_time(Addr code) {
  const NSegment *segment = VG_(am_find_nsegment)(code);
  return segment == NULL || segment->kind != SkFileC;
}

/* The allocator's own variables are of interest; and what it first runs, is for the most part its own code. */
static void find_accesses(const IRSB *block, ThreadId tid, Addr start, Int stack_pointer) {
  Search search = {.block = block, .all = option_everything, .stack_pointer = stack_pointer};
  search.constants = search.all || is_made_at_run_time(start) || allocator_is_inside(tid);
  search.is_stack = VG_(calloc)("abut.stack", block->tyenv->types_used, sizeof(Bool));
  access_count = 0;
  for (search.statement = 0; search.statement < block->stmts_used; ++search.statement)
    look_at(&search, block->stmts[search.statement]);
  VG_(free)(search.is_stack);
}

/* ---- writing code ---- */

IRExpr *number(ULong value) { return IRExpr_Const(IRConst_U64(value)); }
static IRExpr *at(const void *variable) { return number((Addr)variable); }

IRExpr *assign(IRSB *out, IRType type, IRExpr *e) {
  IRTemp temporary = newIRTemp(out->tyenv, type);
  addStmtToIRSB(out, IRStmt_WrTmp(temporary, e));
  return IRExpr_RdTmp(temporary);
}

static IRExpr *load(IRSB *out, const void *variable) {
  return assign(out, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, at(variable)));
}

IRExpr *plus(IRSB *out, IRExpr *e, ULong more) {
  return more == 0 ? e : assign(out, Ity_I64, IRExpr_Binop(Iop_Add64, e, number(more)));
}

IRExpr *is_less(IRSB *out, IRExpr *a, IRExpr *b) {
  return assign(out, Ity_I1, IRExpr_Binop(Iop_CmpLT64U, a, b));
}

static void store(IRSB *out, IRExpr *where, IRExpr *what) {
  addStmtToIRSB(out, IRStmt_Store(Iend_LE, where, what));
}

/* Where `guard` holds, goes back to the begin of the block, and lets the core run before. */
static void start_over_if(IRSB *out, IRExpr *guard, Addr start) {
  addStmtToIRSB(out, IRStmt_Exit(guard, Ijk_Yield, IRConst_U64(start), out->offsIP));
}

static void call_if(IRSB *out, IRExpr *guard, const HChar *name, void *function) {
  IRDirty *dirty = unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(function), mkIRExprVec_0());
  dirty->guard = guard;
  addStmtToIRSB(out, IRStmt_Dirty(dirty));
}

/* ---- what is added at the begin of a block ---- */

static VG_REGPARM(0) void slot_is_full(void) { stream_flush(); }

static IRExpr *begin_block(IRSB *out) {
  IRExpr *next = load(out, &slot_next);
  call_if(out, is_less(out, load(out, &slot_full), next), "slot_is_full", slot_is_full);
  return load(out, &slot_next);
}

/* The count is of all accesses that the block may make. */
static void count_accesses(IRSB *out, Addr start) {
  IRExpr *count = load(out, &accesses_counted);
  start_over_if(out, is_less(out, load(out, &accesses_limit), plus(out, count, 1)), start);
  store(out, at(&accesses_counted), plus(out, count, access_count));
}

/* ---- what is added at accesses and exits ---- */

static void commit(IRSB *out, IRExpr *base, UInt block, UInt count) {
  store(out, base, number((ULong)block << 16 | count));
  store(out, at(&slot_next), plus(out, base, sizeof(ULong) * (1 + count)));
}

static IRExpr *word_or_none(IRSB *out, const Access *access, IRExpr *base) {
  IRExpr *word = origins_mark(out, access->address, access->from, base, access - accesses);
  if (access->guard == NULL || access->guard->tag == Iex_Const) return word;
  return assign(out, Ity_I64, IRExpr_ITE(access->guard, word, number(0)));
}

/* Whether the code is that of the wrappers, which the program has only while it is recorded. */
static Bool is_of_wrappers(Addr code) {
  const NSegment *segment = VG_(am_find_nsegment)(code);
  const HChar *path = segment != NULL ? VG_(am_get_filename)(segment) : NULL;
  return path != NULL && VG_(strstr)(path, "/vgpreload_") != NULL;
}

static void count_instructions(IRSB *out, UInt count) {
  if (count != 0) store(out, at(&instructions_run), plus(out, load(out, &instructions_run), count));
}

static void add_recorded(IRSB *out, const IRSB *in, Int first, IRExpr *base, UInt block) {
  Int done = 0, committed = 0;
  UInt begun = 0; /* instructions that are not yet counted */
  for (Int i = first; i < in->stmts_used; ++i) {
    if (in->stmts[i]->tag == Ist_IMark) begun += !is_of_wrappers(in->stmts[i]->Ist.IMark.addr);
    if (in->stmts[i]->tag == Ist_Exit) {
      count_instructions(out, begun);
      begun = 0;
      if (done != committed) commit(out, base, block, done);
      committed = done;
    }
    Int first_here = done;
    for (; done < access_count && accesses[done].statement == i; ++done)
      store(out, plus(out, base, sizeof(ULong) * (1 + done)),
            word_or_none(out, &accesses[done], base));
    addStmtToIRSB(out, in->stmts[i]);
    Bool reads = done > first_here && !accesses[first_here].writes;
    origins_follow(out, in->stmts[i], base, reads ? first_here + 1 : 0);
  }
  if (done != committed) commit(out, base, block, done);
  count_instructions(out, begun);
}

static void record_block(UInt block) {
  ULong *words = event(ABUT_RAW_BLOCK, access_count, 1 + access_count);
  words[0] = block;
  for (Int i = 0; i < access_count; ++i) {
    const Access *access = &accesses[i];
    UInt size = access->size < ABUT_RAW_MOST_SIZE ? access->size : ABUT_RAW_MOST_SIZE;
    words[1 + i] = access->code << 8 | size << 1 | (access->writes ? ABUT_RAW_WRITES : 0);
  }
}

/* ---- waiting for a function ---- */

static VG_REGPARM(0) void function_is_reached(void) { state_reached_function(); }

static Bool is_awaited(Addr code) {
  const HChar *name;
  return VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), code, &name) &&
         VG_(strcmp)(name, option_from) == 0;
}

static void add_function_check(IRSB *out, const IRSB *in, Int first) {
  for (Int i = first; i < in->stmts_used; ++i) {
    const IRStmt *s = in->stmts[i];
    addStmtToIRSB(out, in->stmts[i]);
    if (s->tag != Ist_IMark || !is_awaited(s->Ist.IMark.addr)) continue;
    call_if(out, IRExpr_Const(IRConst_U1(True)), "function_is_reached", function_is_reached);
    start_over_if(out, IRExpr_Const(IRConst_U1(True)), s->Ist.IMark.addr);
  }
}

/* ---- a block ---- */

static Int add_preamble(IRSB *out, const IRSB *in) {
  Int i = 0;
  for (; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; ++i)
    addStmtToIRSB(out, in->stmts[i]);
  return i;
}

IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                 const VexGuestExtents *extents, const VexArchInfo *arch, IRType guest_word,
                 IRType host_word) {
  Addr start = closure->nraddr;
  if (state == STATE_IDLE || state == STATE_PAUSED) return in;
  find_accesses(in, closure->tid, closure->readdr, layout->offset_SP);
  if (state != STATE_WAITING && state != STATE_RECORDING && access_count == 0) return in;
  IRSB *out = deepCopyIRSBExceptStmts(in);
  Int first = add_preamble(out, in);
  if (state == STATE_WAITING) {
    add_function_check(out, in, first);
    return out;
  }
  if (option_window_whole != 0 && access_count != 0) count_accesses(out, start);
  if (state == STATE_SKIPPING) {
    for (; first < in->stmts_used; ++first) addStmtToIRSB(out, in->stmts[first]);
    return out;
  }
  UInt block = access_count == 0 ? 0 : ++block_count;
  if (block != 0) record_block(block);
  origins_begin(in, layout);
  add_recorded(out, in, first, block != 0 ? begin_block(out) : NULL, block);
  origins_end();
  serve_request_inside(out, layout);
  return out;
}
