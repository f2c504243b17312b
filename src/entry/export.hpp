// How an entry point is declared: visible outside the library, which is otherwise closed.
#pragma once

#define ABUT_EXPORT extern "C" __attribute__((visibility("default"), used))
#define ABUT_EXPORT_CXX __attribute__((visibility("default"), used))
