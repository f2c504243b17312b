// What is known of each block: apart from the blocks, so that no write beyond one can change it.
#pragma once

#include "context/frame_rule.hpp"
#include "os/os.hpp"

namespace abut::checked {

// Who called: return addresses, the innermost first; zero where there are no more.
struct Callers {
  static constexpr unsigned kMost = 8;
  Address addresses[kMost] = {};
};
Callers callers_of(context::Frame frame);

enum class State : uint8_t { live, leaving, held };

struct Record {
  Address block = 0; // what the program has
  size_t bytes = 0;  // that it asked for
  Address base = 0;  // what the heap handed out
  Address end = 0;   // of what is filled behind the block: a guard page, if there is one
  State state = State::live;
  bool guarded = false;   // the page at `end` is closed
  bool forbidden = false; // and while it is held, all from `base` to there
  bool discarded = false; // which has no memory then
  Record *next = nullptr;
  Callers allocated;
  Callers freed;
};

// All blocks by their addresses: open addressing, with records that stay where they are.
class Records {
public:
  // To be held around everything below.
  os::SpinLock &lock() { return lock_; }

  // One of the given address; null where memory is exhausted.
  Record *add(Address block);
  Record *find(Address block) const;
  void remove(Record *record);

  template <class Visit>
  void each(Visit visit) const {
    for (size_t i = 0; i < slot_count_; ++i)
      if (slots_[i] != nullptr) visit(*slots_[i]);
  }

private:
  static constexpr size_t kFirstSlots = 4 * KiB;
  static constexpr size_t kSlab = 256 * KiB;

  size_t home(Address block) const {
    return (block / 16 * 0x9e3779b97f4a7c15U >> 20) & (slot_count_ - 1);
  }
  size_t slot_of(Address block) const;
  bool grow();
  Record *fresh();

  os::SpinLock lock_;
  Record **slots_ = nullptr;
  size_t slot_count_ = 0;
  size_t used_ = 0;
  Record *free_ = nullptr;
};

extern constinit Records records;

} // namespace abut::checked
