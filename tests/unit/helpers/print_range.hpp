// How GoogleTest shows a range in a failure message.
#pragma once

#include "base/bits.hpp"

#include <ostream>

namespace abut {

inline void PrintTo(const Range &range, std::ostream *out) {
  *out << "[" << range.first << ", +" << range.count << ")";
}

} // namespace abut
