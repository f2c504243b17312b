// What is looked for, as ABUT_CHECK says.
#pragma once

#include "base/units.hpp"

namespace abut::checked {

struct Settings {
  bool tail = false;
  bool quarantine = false;
};

// Reads them at the first request of the process, which may come before any constructor.
const Settings &settings();

} // namespace abut::checked
