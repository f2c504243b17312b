// Memory that a process has in common with those that it forked, at the same addresses: parts of a file without a name.
#pragma once

#include "base/units.hpp"

namespace abut::offload {

// Such a file. Programs close descriptors that are not theirs; so it is known by its number on the disk, too.
struct SharedFile {
  int descriptor = -1;
  uint64_t identity = 0;

  explicit operator bool() const { return descriptor >= 0; }
};

// A file of `bytes` that read as zero; none where the system, or a limit of the process, forbids it.
SharedFile create_shared_file(size_t bytes);

// Maps `bytes` of the file from `offset` on, over whatever lies at `place`, or anywhere where that is null. Null where it
// cannot be.
void *map_shared(const SharedFile &file, size_t offset, void *place, size_t bytes);

// Makes such memory this process's own, with what it holds; from then on a fork copies it. Other threads may use it
// meanwhile, other processes may not write to it. Where the program has closed the file, that of process `other` serves.
bool make_private(const SharedFile &file, unsigned other, size_t offset, void *place, size_t bytes);

// Gives the pages back, in all processes; and once they are this process's own. False where the system refuses: the
// contents stay.
[[nodiscard]] bool discard_shared(void *memory, size_t bytes);
[[nodiscard]] bool discard_private(void *memory, size_t bytes);

} // namespace abut::offload
