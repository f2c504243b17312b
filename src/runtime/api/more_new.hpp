// The forms of operator new beside the plain ones, whatever heap serves them. Included once by a library, behind
//
//   namespace served {
//   void *allocate(size_t bytes);                      null where memory is exhausted
//   void *allocate_aligned(size_t align, size_t bytes);
//   }
#pragma once

#include "api/export.hpp"
#include "api/new_handlers.hpp"

#define ABUT_NEW(name)                                                                             \
  ABUT_EXPORT_CXX void *name(size_t bytes, const std::nothrow_t &) noexcept {                      \
    return abut::entry::allocate_or_null([=] { return served::allocate(bytes); });                 \
  }                                                                                                \
  ABUT_EXPORT_CXX void *name(size_t bytes, std::align_val_t align) {                               \
    return abut::entry::allocate_or_throw(                                                         \
        [=] { return served::allocate_aligned(abut::entry::bytes_of(align), bytes); });            \
  }                                                                                                \
  ABUT_EXPORT_CXX void *name(size_t bytes, std::align_val_t align,                                 \
                             const std::nothrow_t &) noexcept {                                    \
    return abut::entry::allocate_or_null(                                                          \
        [=] { return served::allocate_aligned(abut::entry::bytes_of(align), bytes); });            \
  }

ABUT_NEW(operator new)
ABUT_NEW(operator new[])
