// How an entry point is declared: visible outside the library, which is otherwise closed.
#pragma once

#define ABUT_EXPORT extern "C" __attribute__((visibility("default"), used))
#define ABUT_BODY extern "C" __attribute__((visibility("hidden"), used))
#define ABUT_EXPORT_CXX __attribute__((visibility("default"), used))

// Where the call returns to; only in the body of an entry point itself.
#define ABUT_SITE reinterpret_cast<abut::Address>(__builtin_return_address(0))
