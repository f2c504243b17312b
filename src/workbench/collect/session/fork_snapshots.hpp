// What children inherit: the blocks that a process had at a fork, kept until the child asks for them.
#pragma once

#include "collect/session/session.hpp"

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace abut::record {

class ForkSnapshots {
public:
  void put(uint32_t session, uint32_t fork, Snapshot snapshot);
  // No more is to come of this session.
  void close(uint32_t session);
  // Waits until the parent's session has come to the fork. Empty where it ended before.
  Snapshot take(uint32_t session, uint32_t fork);

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<uint32_t, uint32_t>, Snapshot> snapshots_;
  std::set<uint32_t> closed_;
};

} // namespace abut::record
