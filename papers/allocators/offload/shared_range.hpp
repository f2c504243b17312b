// The addresses that a program and the process that serves it have in common.
//
// One file is behind all of it, mapped at the same place in both because one was forked from the other: areas and mappings
// of the heap in two quarters of the range, and the tables that tell of them. The other two quarters are for the heap
// that follows if the first one is lost.
#pragma once

#include "base/units.hpp"
#include "os/shared_memory.hpp"

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

  // Leaves all that is there for ever, whatever state it is in, and goes on behind it.
  void begin_again();

  // Whether a block is of the heap that was left.
  bool is_left(const void *block) const;

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
  Address quarter(unsigned number) const { return begin_ + number * quarter_; }
  void settle();

  os::SharedFile file_;
  Address begin_ = 0;
  size_t quarter_ = 0;
  unsigned first_ = 0; // the quarter in use for areas; mappings are in the one after it
  bool is_private_ = false;
  Part parts_[kParts] = {};
  unsigned used_ = 0;
};

extern constinit SharedRange shared_range;

} // namespace abut::offload
