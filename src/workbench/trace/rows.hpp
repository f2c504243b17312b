// Tables with a row for each number of something.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace abut::trace {

// The row of this number, made where there is none yet.
template <typename Row>
Row &row_of(std::vector<Row> &rows, size_t number) {
  if (number >= rows.size()) rows.resize(number + 1);
  return rows[number];
}

// Tables of objects have rows for so many at the most whose births are lost together: a number that is damaged, or
// made up, must not cost memory.
inline constexpr uint64_t kMostLostBirths = uint64_t{1} << 18;

// Makes a row for an object that is born; false where too many births would be lost before it.
template <typename Rows>
bool grow_to(Rows &rows, uint64_t object) {
  if (object < rows.size()) return true;
  if (object - rows.size() > kMostLostBirths) return false;
  rows.resize(object + 1);
  return true;
}

} // namespace abut::trace
