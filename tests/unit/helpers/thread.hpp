// Runs something in a thread of its own, from that thread's first breath to its last.
#pragma once

#include <thread>
#include <utility>

namespace abut::test {

template <class Body>
void in_thread(Body body) {
  std::thread(std::move(body)).join();
}

} // namespace abut::test
