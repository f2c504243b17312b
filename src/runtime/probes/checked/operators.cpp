// operator new and delete. The entry points are named as the C++ ABI has them, because they hand over their caller's frame.
#include "api/export.hpp"
#include "api/new_handlers.hpp"
#include "context/entry_stub.hpp"
#include "probes/checked/blocks.hpp"

using namespace abut;
using entry::allocate_or_null;
using entry::allocate_or_throw;

ABUT_BODY void *abut_checked_new(size_t bytes, const Address *sp, Address rbp) {
  return allocate_or_throw([=] { return checked::allocate(1, bytes, {sp, rbp}); });
}

ABUT_BODY void *abut_checked_new_nothrow(size_t bytes, const std::nothrow_t &, const Address *sp,
                                         Address rbp) {
  return allocate_or_null([=] { return checked::allocate(1, bytes, {sp, rbp}); });
}

ABUT_BODY void *abut_checked_new_aligned(size_t bytes, size_t align, const Address *sp,
                                         Address rbp) {
  return allocate_or_throw([=] { return checked::allocate(align, bytes, {sp, rbp}); });
}

ABUT_BODY void *abut_checked_new_aligned_nothrow(size_t bytes, size_t align, const std::nothrow_t &,
                                                 const Address *sp, Address rbp) {
  return allocate_or_null([=] { return checked::allocate(align, bytes, {sp, rbp}); });
}

ABUT_BODY void abut_checked_delete(void *memory, const Address *sp, Address rbp) {
  checked::release("operator delete", memory, {sp, rbp});
}

ABUT_BODY void abut_checked_delete_array(void *memory, const Address *sp, Address rbp) {
  checked::release("operator delete[]", memory, {sp, rbp});
}

ABUT_ENTRY_STUB_1(_Znwm, abut_checked_new);
ABUT_ENTRY_STUB_1(_Znam, abut_checked_new);
ABUT_ENTRY_STUB_2(_ZnwmRKSt9nothrow_t, abut_checked_new_nothrow);
ABUT_ENTRY_STUB_2(_ZnamRKSt9nothrow_t, abut_checked_new_nothrow);
ABUT_ENTRY_STUB_2(_ZnwmSt11align_val_t, abut_checked_new_aligned);
ABUT_ENTRY_STUB_2(_ZnamSt11align_val_t, abut_checked_new_aligned);
ABUT_ENTRY_STUB_3(_ZnwmSt11align_val_tRKSt9nothrow_t, abut_checked_new_aligned_nothrow);
ABUT_ENTRY_STUB_3(_ZnamSt11align_val_tRKSt9nothrow_t, abut_checked_new_aligned_nothrow);

// What comes after the address is not looked at.
ABUT_ENTRY_STUB_1(_ZdlPv, abut_checked_delete);
ABUT_ENTRY_STUB_1(_ZdlPvm, abut_checked_delete);
ABUT_ENTRY_STUB_1(_ZdlPvRKSt9nothrow_t, abut_checked_delete);
ABUT_ENTRY_STUB_1(_ZdlPvSt11align_val_t, abut_checked_delete);
ABUT_ENTRY_STUB_1(_ZdlPvmSt11align_val_t, abut_checked_delete);
ABUT_ENTRY_STUB_1(_ZdlPvSt11align_val_tRKSt9nothrow_t, abut_checked_delete);
ABUT_ENTRY_STUB_1(_ZdaPv, abut_checked_delete_array);
ABUT_ENTRY_STUB_1(_ZdaPvm, abut_checked_delete_array);
ABUT_ENTRY_STUB_1(_ZdaPvRKSt9nothrow_t, abut_checked_delete_array);
ABUT_ENTRY_STUB_1(_ZdaPvSt11align_val_t, abut_checked_delete_array);
ABUT_ENTRY_STUB_1(_ZdaPvmSt11align_val_t, abut_checked_delete_array);
ABUT_ENTRY_STUB_1(_ZdaPvSt11align_val_tRKSt9nothrow_t, abut_checked_delete_array);
