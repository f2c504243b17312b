/* From which load each value comes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An access whose address was loaded waits for that load. So each address goes into the slot with a mark of how many words
 * before it the load was recorded; of a write, the load of what it writes. Within a block that is known of each temporary
 * when the block is translated. From block to block the general registers carry it: the shadow of each is the
 * place in the slot of the load that its value comes from. Of a value that is computed from several, the latest load counts.
 *
 * What is further back than a mark can say, or was recorded before the slot was handed over, is taken for none: between
 * the end of one slot and the begin of another lie more words than that.
 */
#include "tool.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#include <libvex_guest_amd64.h>

#define FIRST_REGISTER ((Int) __builtin_offsetof(VexGuestAMD64State, guest_RAX))
#define LAST_REGISTER ((Int) __builtin_offsetof(VexGuestAMD64State, guest_R15))
#define REGISTERS ((LAST_REGISTER - FIRST_REGISTER) / 8 + 1)

typedef struct {
  Int load;        /* 1 + the number of an access of this block; 0: none of it */
  IRExpr *earlier; /* the place of one of an earlier block, as a temporary; null: none */
} Origin;

static const Origin no_origin;
static Origin *temporaries;
static Origin registers[REGISTERS];
static Bool is_known[REGISTERS]; /* in this block */
static Int shadows;              /* of the registers: how far behind them */

void origins_begin(const IRSB *in, const VexGuestLayout *layout) {
  temporaries = VG_(calloc)("abut.origins", in->tyenv->types_used, sizeof(Origin));
  VG_(memset)(is_known, 0, sizeof is_known);
  shadows = layout->total_sizeB;
}

void origins_end(void) { VG_(free)(temporaries); }

static Int register_at(Int offset) {
  return offset < FIRST_REGISTER || offset >= LAST_REGISTER + 8 ? -1
                                                                : (offset - FIRST_REGISTER) / 8;
}

static Int shadow_of(Int which) { return shadows + FIRST_REGISTER + 8 * which; }

static Origin origin_of(const IRExpr *e) {
  return e != NULL && e->tag == Iex_RdTmp ? temporaries[e->Iex.RdTmp.tmp] : no_origin;
}

static Origin latest(IRSB *out, Origin a, Origin b) {
  if (a.load != 0 || b.load != 0) return a.load > b.load ? a : b;
  if (a.earlier == NULL) return b;
  if (b.earlier == NULL || a.earlier->Iex.RdTmp.tmp == b.earlier->Iex.RdTmp.tmp) return a;
  IRExpr *which = is_less(out, a.earlier, b.earlier);
  Origin both = {0, assign(out, Ity_I64, IRExpr_ITE(which, b.earlier, a.earlier))};
  return both;
}

static Origin of_register(IRSB *out, Int which) {
  if (which < 0) return no_origin;
  if (!is_known[which]) {
    Origin before = {0, assign(out, Ity_I64, IRExpr_Get(shadow_of(which), Ity_I64))};
    registers[which] = before;
    is_known[which] = True;
  }
  return registers[which];
}

static Origin of_value(IRSB *out, const IRExpr *e, Int load) {
  Origin loaded = {load, NULL};
  switch (e->tag) {
  case Iex_Load: return loaded;
  case Iex_Get: return of_register(out, register_at(e->Iex.Get.offset));
  case Iex_RdTmp: return origin_of(e);
  case Iex_Unop: return origin_of(e->Iex.Unop.arg);
  case Iex_Binop: return latest(out, origin_of(e->Iex.Binop.arg1), origin_of(e->Iex.Binop.arg2));
  case Iex_ITE: return latest(out, origin_of(e->Iex.ITE.iftrue), origin_of(e->Iex.ITE.iffalse));
  default: return no_origin;
  }
}

static IRExpr *place_of(IRSB *out, IRExpr *base, Origin origin) {
  if (origin.load != 0) return plus(out, base, sizeof(ULong) * origin.load);
  return origin.earlier != NULL ? origin.earlier : number(0);
}

static void put_register(IRSB *out, const IRStmt *s, IRExpr *base) {
  Int which = register_at(s->Ist.Put.offset);
  /* What is put into a part of a register leaves the rest as it was. */
  if (which < 0 || typeOfIRExpr(out->tyenv, s->Ist.Put.data) != Ity_I64) return;
  registers[which] = origin_of(s->Ist.Put.data);
  is_known[which] = True;
  addStmtToIRSB(out, IRStmt_Put(shadow_of(which), place_of(out, base, registers[which])));
}

void origins_follow(IRSB *out, const IRStmt *s, IRExpr *base, Int load) {
  Origin loaded = {load, NULL};
  switch (s->tag) {
  case Ist_WrTmp: temporaries[s->Ist.WrTmp.tmp] = of_value(out, s->Ist.WrTmp.data, load); break;
  case Ist_LoadG: temporaries[s->Ist.LoadG.details->dst] = loaded; break;
  case Ist_CAS: temporaries[s->Ist.CAS.details->oldLo] = loaded; break;
  case Ist_Put: put_register(out, s, base); break;
  default: break;
  }
}

IRExpr *origins_mark(IRSB *out, IRExpr *address, const IRExpr *from, IRExpr *base, Int access) {
  const Int most = ABUT_RAW_MOST_SOURCE - 1;
  const ULong unit = 1ull << ABUT_RAW_ADDRESS_BITS;
  Origin origin = origin_of(from);
  IRExpr *mark = number(unit);
  if (origin.load != 0) {
    Int words = access + 1 - origin.load;
    if (words <= most) mark = number(unit * (1 + words));
  } else if (origin.earlier != NULL) {
    IRExpr *place = plus(out, base, sizeof(ULong) * (1 + access));
    IRExpr *bytes = assign(out, Ity_I64, IRExpr_Binop(Iop_Sub64, place, origin.earlier));
    /* Bytes are eight times the words. */
    IRExpr *shift = IRExpr_Const(IRConst_U8(ABUT_RAW_ADDRESS_BITS - 3));
    IRExpr *words = assign(out, Ity_I64, IRExpr_Binop(Iop_Shl64, bytes, shift));
    IRExpr *is_near = is_less(out, bytes, number(sizeof(ULong) * (most + 1)));
    mark = assign(out, Ity_I64, IRExpr_ITE(is_near, plus(out, words, unit), number(unit)));
  }
  return assign(out, Ity_I64, IRExpr_Binop(Iop_Or64, address, mark));
}
