// How sites and expressions are written for people.
#pragma once

#include "os/message.hpp"
#include "placement/friends/expression.hpp"

namespace abut::entry {

// Where a call returns to, as a debugger would say it.
void put_site(os::Message &text, Address site);

// Such as `[rbx + 8]`.
void put_expression(os::Message &text, const near::Expression &expression);

} // namespace abut::entry
