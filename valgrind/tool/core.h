/* Functions of Valgrind's core that its library exports and its headers for tools do not declare.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef ABUT_TOOL_CORE_H
#define ABUT_TOOL_CORE_H

#include "pub_tool_basics.h"
#include "pub_tool_execontext.h"

/* On Linux it takes six arguments, on others eight; two more than it takes do no harm. */
extern SysRes VG_(do_syscall)(UWord number, UWord, UWord, UWord, UWord, UWord, UWord, UWord, UWord);
extern Int VG_(safe_fd)(Int fd);
extern SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT length, UInt protection, Int fd,
                                                      Off64T offset);
extern SysRes VG_(am_munmap_valgrind)(Addr start, SizeT length);
extern const Addr *VG_(get_ExeContext_StackTrace)(ExeContext *);
extern HChar **VG_(client_envp);
extern UWord *VG_(client_auxv);
/* What tools may call for this asserts that it is called from a client request. The core itself also calls it between
 * two runs of a thread, and in system calls. */
extern void VG_(discard_translations)(Addr start, ULong length, const HChar *who);

#endif
