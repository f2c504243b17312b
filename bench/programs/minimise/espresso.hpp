// The loop of heuristic two-level minimisation: expand each cube as far as the OFF-set allows, drop
// the cubes that the others make redundant, reduce the rest to what only they cover, and again.
#pragma once

#include "cover.hpp"

namespace minimise {

// What no cube of the cover switches on, output by output.
Cover off_set(const Cover &cover, std::uint64_t outputs);

void expand(Cover &cover, const Cover &off);
void make_irredundant(Cover &cover);
void reduce(Cover &cover);

Cover minimised(const Cover &cover, const Cover &off);

// Does the second cover switch on all that the first does, and nothing in the OFF-set?
bool equivalent(const Cover &original, const Cover &result, const Cover &off);

} // namespace minimise
