// The heap that serves a program under the library of the papers' allocators: the one that ABUT_HEAP names.
#pragma once

#include "base/units.hpp"

namespace abut::chosen {

inline constexpr size_t kRequestMax =
    PTRDIFF_MAX; // more than that is refused, as the C library does

// Null where memory is exhausted; `align` is a power of two. All of these may be called by any thread at any time.
void *allocate(size_t bytes, size_t align = 1);
void *allocate_zeroed(size_t bytes);

// Frees a block. Any other address ends the process with a message, or is the C library's (api/foreign.cpp).
void release(const char *call, void *block);

// `block` with `bytes`, here or elsewhere; null, and the block as it was, where memory is exhausted.
void *resize(const char *call, void *block, size_t bytes);

// The bytes of a block that may be used.
size_t usable(const char *call, void *block);

// Frees what another core has still to free.
void settle();

} // namespace abut::chosen
