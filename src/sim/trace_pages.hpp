// A trace's pages: its accesses and events, brought to a page model.
#pragma once

#include "sim/page_model.hpp"
#include "trace/reader.hpp"

#include <cstdint>
#include <span>

namespace abut::sim {

// Which of the program's accesses to what is no object count. The allocator's always do: they are its own tables.
enum class Strays : uint8_t { left_out, counted };

// As it was recorded, with what was given back to the kernel.
void read_pages(trace::Reader &reader, Strays strays, PageModel &model);

// The same accesses with objects elsewhere: object n at `places[n]`; those beyond, and those at 0, are left out, like
// all that is no object. Objects stay where they are, and no page is given back.
void read_pages(trace::Reader &reader, std::span<const uint64_t> places, PageModel &model);

} // namespace abut::sim
