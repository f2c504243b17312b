// The processor's vector functions, on machines that have them at all: who calls them has asked first.
#pragma once

#ifdef __x86_64__
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 takes its own vector functions for uninitialised (its bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#endif
