// Which build of which program or library some code belongs to, by the note that its linker wrote into it.
#pragma once

#include "context/loaded_code.hpp"

namespace abut::context {

using BuildId = std::span<const uint8_t>;

// The GNU build-id of an object that is loaded; empty where it has none.
BuildId build_id(const LoadedObject &object);

// The program itself.
LoadedObject program();

// What is to be added to an offset in the object's file, as its symbols have them, to get the address.
Address load_bias(const LoadedObject &object);

} // namespace abut::context
