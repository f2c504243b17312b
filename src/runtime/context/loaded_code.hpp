// The objects that the dynamic linker has loaded, asked without a lock and without an allocation.
#pragma once

#include "context/cfi_reader.hpp"

#include <link.h>
#include <span>

namespace abut::context {

struct LoadedObject {
  CodeRange range;
  const void *identity =
      nullptr; // its link map: another object at the same address has, as a rule, another
  Address frame_header = 0; // .eh_frame_hdr, or 0

  explicit operator bool() const { return identity != nullptr; }
};

// The object around an address of its code, and around any of the program's own; none for code that was made at run time.
LoadedObject object_around(Address address);

// What the object's file says of its segments, where its first page has it.
std::span<const ElfW(Phdr)> segments_of(const LoadedObject &object);

// The bytes of the file that were mapped, unbroken, around `at`; empty where there are none.
CodeRange segment_around(const LoadedObject &object, Address at, bool executable);

// Whether `code` belongs to the dynamic linker itself.
bool is_loader(Address code);

} // namespace abut::context
