// Is a procedure only a wrapper of malloc? A walk over the machine code behind the call tells.
//
// The walk follows the new pointer through registers and stack slots, on every path. Returned, and on no path stored
// elsewhere, handed on or used: a wrapper, whose caller is the one who allocates (Wang, Wu, Yew 2010, section 3.1).
// Not held against it: a header in front of what is returned; zeroes; memset and memcpy. Who gives the pointer back
// through a parameter, of which nothing else is used, is a wrapper, too.
#pragma once

#include "context/frame_rule.hpp"

namespace abut::context {

enum class WalkEnd : uint8_t {
  wrapper,
  gives_back, // a wrapper that does not return it: a parameter says where it is put
  no_decoder, // nothing was looked at
  used,       // read, or written with something: this procedure knows what the block is
  stored,     // put where others find it
  handed_on,  // given to another procedure
  kept,       // no path returns it
  unknown,    // code that is not understood
  too_long,
};

// What happens to the pointer that the call before `return_address` returns. It allocates nothing and takes
// microseconds. One thread at a time.
WalkEnd walk_wrapper(Address return_address, const Procedure &procedure);

} // namespace abut::context
