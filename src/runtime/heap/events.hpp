// What the heap reports to the layers above, about which it knows nothing else. They set the listeners; at first there are none.
#pragma once

#include <atomic>
#include <cstddef>

namespace abut::heap {

class LocalHeap;

template <class... Arguments>
class Event {
public:
  using Listener = void (*)(Arguments...);

  Listener listener() const { return listener_.load(std::memory_order_acquire); }
  void set_listener(Listener listener) { listener_.store(listener, std::memory_order_release); }

  void report(Arguments... arguments) const {
    if (const Listener here = listener()) here(arguments...);
  }

private:
  std::atomic<Listener> listener_{nullptr};
};

struct Events {
  // A heap has taken another page, and holds so many bytes (LocalHeap::held_bytes()).
  Event<size_t> grown;
  // A heap goes on elsewhere. In between lie about a thousand requests, or fewer, where holes are small.
  Event<> refilled;
  // Cells that are reserved in a heap and will not be used are to be free, or all of them: by the owner, or with the owner
  // gone, under the lock: the owner takes them without it.
  Event<LocalHeap &, bool> reserved_too_long;
};
extern constinit Events events;

} // namespace abut::heap
