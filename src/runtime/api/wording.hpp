// How sites and expressions are written for people.
#pragma once

#include "os/message.hpp"
#include "placement/friends/expression.hpp"

namespace abut::entry {

// A call, by its return address, as a profile names it: MODULE+0xOFFSET(FUNCTION).
void put_site(os::Message &text, Address site);

// Such as `[rbx + 8]`.
void put_expression(os::Message &text, const near::Expression &expression);

} // namespace abut::entry
