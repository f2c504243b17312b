// Hides a value's origin from the compiler, so that it neither removes a malloc/free pair nor warns
// about the misuse that a test commits on purpose.
#pragma once

namespace support {

template <typename T>
T opaque(T value) {
  asm volatile("" : "+r"(value) : : "memory");
  return value;
}

} // namespace support
