// Where objects lie beyond the plain heap: what each value of the option `place` enables.
#pragma once

#include "base/options.hpp"

#include <string_view>

namespace abut {

// Which contexts may have friends: none, those that a profile has beside theirs, or all that it has not elsewhere.
enum class Friends : uint8_t { none, assigned, every };

// Which contexts have pools: those that a profile assigns to one, those that promise to gain by it, or every one.
enum class Pools : uint8_t { none, assigned, promising, every };

// Which groups share a pool: none; those of one size that are linked alike; also those of different sizes whose objects are
// linked and born together.
enum class Merging : uint8_t { none, linked, born };

struct Place {
  const char *value; // of the option
  Friends friends = Friends::none;
  bool takes_assigned = false; // what a profile assigns contexts holds, where it does
  Pools pools = Pools::none;
  Merging merging = Merging::born;
  bool is_sampled = false; // accesses show which pools are used together, and which are of use
};

// What is in force from the start of placement on; nothing until then.
extern Place place_in_force __attribute__((visibility("hidden")));

// What the option's value stands for.
const Place &declared_place(int64_t value);

// What a profile assigns contexts.
struct Assigns {
  bool any = false, pools = false, beside = false;
};

// After all options are read. Whether a profile assigns contexts anything, and what it assigns those that are in this program:
// a program's children have its profile, too. What is set and has no effect is said.
Place chosen_place(bool profile_assigns, const Assigns &here);

// What replaces an option that there once was; null for any other.
const char *replacement_for(std::string_view option);

} // namespace abut
