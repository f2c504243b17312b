/* Requests of the wrappers, served from within translated code.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A request ends a block of code, and goes by way of the core, which costs more than all else that is done for it. So
 * the block asks the tool before it ends, and where that has served the request, goes on behind it.
 */
#include "tool.h"

#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"

#include <libvex_guest_amd64.h>

/* Where Valgrind's requests have the address of their arguments, and what they answer. */
enum {
  ARGUMENTS = __builtin_offsetof(VexGuestAMD64State, guest_RAX),
  ANSWER = __builtin_offsetof(VexGuestAMD64State, guest_RDX),
  ARGUMENT_COUNT = 6
};

static VG_REGPARM(1) ULong request_is_served(const UWord *arguments) {
  return allocator_quick_request(VG_(get_running_tid)(), arguments);
}

/* The tool reads the arguments, and walks the stack. */
static IRExpr *call_tool(IRSB *out, const VexGuestLayout *layout) {
  IRTemp served = newIRTemp(out->tyenv, Ity_I64);
  IRExpr *arguments = assign(out, Ity_I64, IRExpr_Get(ARGUMENTS, Ity_I64));
  IRDirty *call =
      unsafeIRDirty_1_N(served, 1, "request_is_served", VG_(fnptr_to_fnentry)(request_is_served),
                        mkIRExprVec_1(arguments));
  call->mFx = Ifx_Read;
  call->mAddr = arguments;
  call->mSize = ARGUMENT_COUNT * sizeof(UWord);
  call->nFxState = 1;
  call->fxState[0].fx = Ifx_Read;
  call->fxState[0].offset = layout->offset_SP;
  call->fxState[0].size = layout->sizeof_SP;
  call->fxState[0].nRepeats = call->fxState[0].repeatLen = 0;
  addStmtToIRSB(out, IRStmt_Dirty(call));
  return assign(out, Ity_I1, IRExpr_Binop(Iop_CmpNE64, IRExpr_RdTmp(served), number(0)));
}

void serve_request_inside(IRSB *out, const VexGuestLayout *layout) {
  if (out->jumpkind != Ijk_ClientReq || out->next->tag != Iex_Const) return;
  addStmtToIRSB(out, IRStmt_Put(out->offsIP, out->next));
  IRExpr *is_served = call_tool(out, layout);
  IRExpr *before = assign(out, Ity_I64, IRExpr_Get(ANSWER, Ity_I64));
  IRExpr *after = assign(out, Ity_I64, IRExpr_ITE(is_served, number(0), before));
  addStmtToIRSB(out, IRStmt_Put(ANSWER, after));
  addStmtToIRSB(out, IRStmt_Exit(is_served, Ijk_Boring,
                                 IRConst_U64(out->next->Iex.Const.con->Ico.U64), out->offsIP));
}
