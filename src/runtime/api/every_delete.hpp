// Every form of operator delete, whatever heap serves it. Included once by a library, behind
//
//   namespace served {
//   void release(const char *call, void *memory);
//   }
#pragma once

#include "api/export.hpp"

#include <new>

#define ABUT_DELETE(...)                                                                           \
  ABUT_EXPORT_CXX void operator delete(__VA_ARGS__) noexcept {                                     \
    served::release("operator delete", memory);                                                    \
  }                                                                                                \
  ABUT_EXPORT_CXX void operator delete[](__VA_ARGS__) noexcept {                                   \
    served::release("operator delete[]", memory);                                                  \
  }

ABUT_DELETE(void *memory)
ABUT_DELETE(void *memory, size_t)
ABUT_DELETE(void *memory, const std::nothrow_t &)
ABUT_DELETE(void *memory, std::align_val_t)
ABUT_DELETE(void *memory, size_t, std::align_val_t)
ABUT_DELETE(void *memory, std::align_val_t, const std::nothrow_t &)
