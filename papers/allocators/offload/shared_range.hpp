// The addresses that a program and the process that serves it have in common.
//
// One file is behind all of it, mapped at the same place in both because one was forked from the other: areas of the heap
// in one half of the range, mappings in the other, and the tables that tell of them.
#pragma once

#include "allocators/offload/shared_memory.hpp"
#include "base/units.hpp"

namespace abut::offload {

class SharedRange {
public:
  // Takes the range, and has all memory come from it that this process maps from now on. False where the system, or a
  // limit of the process, forbids it; nothing has changed then.
  bool open();

  // Has `object`, on pages of its own that read as zero, in common with the processes that are forked later.
  template <class Object>
  bool share(Object &object) {
    static_assert(alignof(Object) % kPageBytes == 0);
    static_assert(sizeof(Object) % kPageBytes == 0);
    return share(&object, sizeof object);
  }

  // Makes all of it this process's own: a fork copies it from then on. The server, which may not write any more, helps
  // where the program has closed the file.
  bool make_private(uint32_t server);

  int descriptor() const { return file_.descriptor; }

private:
  struct Part {
    void *memory;
    size_t bytes;
    size_t offset;
  };
  static constexpr unsigned kParts = 4;

  static void *map(void *hint, size_t bytes);
  static bool unmap(void *memory, size_t bytes);
  static bool discard(void *memory, size_t bytes);

  bool share(void *memory, size_t bytes);
  bool holds(const void *memory) const;
  bool is_mapping(const void *memory) const;

  SharedFile file_;
  Address begin_ = 0;
  size_t half_ = 0;
  bool is_private_ = false;
  Part parts_[kParts] = {};
  unsigned used_ = 0;
};

extern constinit SharedRange shared_range;

} // namespace abut::offload
