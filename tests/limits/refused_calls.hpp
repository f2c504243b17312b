// System calls that are refused, as sandboxes do it: by a filter (seccomp) that the process cannot take off again. For
// a child (support/child.hpp), which ends with it.
#pragma once

#include <initializer_list>

namespace limits {

// From now on these calls fail with `error`. False where the system has no such filters.
[[nodiscard]] bool refuse(std::initializer_list<long> calls, int error);
// From now on the process ends with any of these.
[[nodiscard]] bool forbid(std::initializer_list<long> calls);

} // namespace limits
