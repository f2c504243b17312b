// Random operations, read from bytes. What may throw does, where a byte says so.
#pragma once

#include "containers/guarded.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace abut::fuzz {

inline void require(bool holds, const char *what) {
  if (holds) return;
  std::fprintf(stderr, "containers: %s\n", what);
  std::abort();
}

class Bytes {
public:
  Bytes(const std::uint8_t *data, std::size_t size) : data_(data), end_(data + size) {}
  bool empty() const { return data_ == end_; }
  unsigned next() { return empty() ? 0 : *data_++; }
  int below(int limit) { return static_cast<int>(next() | next() << 8) % limit; }

private:
  const std::uint8_t *data_;
  const std::uint8_t *end_;
};

// Whether the action ended without a throw. `chance`: how many things go well before one throws; 0: all do.
template <typename Action>
bool succeeds(unsigned chance, Action action) {
  Fuse::left = chance == 0 ? -1 : static_cast<long>(chance) - 1;
  bool done = false;
  try {
    action();
    done = true;
  } catch (const std::runtime_error &) {
  }
  Fuse::left = -1;
  return done;
}

// Each runs all operations that the bytes hold, on containers of one kind.
void run_maps(Bytes &bytes, unsigned kind);
void run_stable_maps(Bytes &bytes, unsigned kind);
void run_lists(Bytes &bytes, unsigned kind);

} // namespace abut::fuzz
