// An entry point like malloc's, for tests: it hands the frame of whoever calls it to a function.
#pragma once

#include "context/frame_rule.hpp"

namespace abut::context {

using Probe = void *(*)(Frame frame, void *argument);

} // namespace abut::context

extern "C" void *probe(abut::context::Probe, void *argument);
