// A trace's pages: its accesses and events, brought to a page model.
#pragma once

#include "sim/layouts/layout.hpp"
#include "sim/pages/page_model.hpp"
#include "trace/reader.hpp"

#include <cstdint>

namespace abut::sim {

// Whether things are where they were: then what went back to the kernel counts, and the allocator's own tables. Another
// layout has none of these.
enum class Setting : uint8_t { as_recorded, laid_out };

// The program's accesses to what is no object, its stacks and fixed addresses, are left out, unless the trace has no
// objects at all, as one from another tool.
void read_pages(trace::Reader &reader, Layout &layout, Setting setting, PageModel &model);

} // namespace abut::sim
