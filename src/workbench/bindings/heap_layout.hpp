// Layouts that one of the papers' allocators makes when it is asked for what a recorded program asked for.
#pragma once

#include "sim/layouts/layout.hpp"

#include <memory>
#include <string_view>

namespace abut::bindings {

// `name` is that of an allocator, with `+align=8` where blocks shall be at multiples of eight as in its paper; null
// where there is none of that name.
std::unique_ptr<sim::Layout> heap_layout(std::string_view name);

} // namespace abut::bindings
