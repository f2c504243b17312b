// Code written into the program at call sites: before a call, it says which group the request is of that surely follows, so
// that nobody walks the call chain (Wang, Wu, Yew 2010, section 4, the second optimisation).
//
// A `call` keeps its place and its return address; its target becomes a stub nearby, which notes the group and jumps to
// where the call led. Only direct calls are written over, and only while the program has one thread.
#pragma once

#include "base/units.hpp"

#include <span>

namespace dpa {

using abut::Address;

// The group that a stub has noted, 0 for none: whoever allocates next takes it.
extern thread_local constinit uint32_t noted_group
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// Writes over the outermost call of a chain, which is given by its return addresses, the innermost first. False where the
// next request after that call need not come through this chain, or the code cannot be written.
bool patch(std::span<const Address> chain, uint32_t group);

} // namespace dpa
