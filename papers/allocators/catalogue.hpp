// The papers' allocators by name, each behind one table of calls.
#pragma once

#include "allocators/layers/concepts.hpp"

namespace abut::allocators {

// What can be done with a heap in `self`, whatever it is. `allocate` returns null where memory is exhausted.
struct Calls {
  size_t bytes; // of the heap's own state, which may lie anywhere that is aligned to a line
  void (*open)(void *self, layers::Grain grain);
  void *(*allocate)(void *self, size_t bytes, size_t align);
  layers::Release (*release)(void *self, void *block);
  size_t (*usable)(void *self, const void *block);
  void (*settle)(void *self); // coalesces what waits for it
};

struct Entry {
  const char *name;
  const char *about;
  const char *paper;
  const char *section;
  const Calls *calls;
};

// In the order in which they are listed; null behind the last.
const Entry *allocator_at(size_t index);

// The allocator of that name; null where there is none.
const Entry *find_allocator(const char *name);

// An allocator with a state of its own. Not for two threads at once.
class Instance {
public:
  // Null where there is no memory for its state. The state is never given back.
  bool open(const Entry &entry, layers::Grain grain);

  void *allocate(size_t bytes, size_t align) { return calls_->allocate(self_, bytes, align); }
  layers::Release release(void *block) { return calls_->release(self_, block); }
  size_t usable(const void *block) { return calls_->usable(self_, block); }
  void settle() { calls_->settle(self_); }

private:
  const Calls *calls_ = nullptr;
  void *self_ = nullptr;
};

} // namespace abut::allocators
