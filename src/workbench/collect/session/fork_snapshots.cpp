#include "collect/session/fork_snapshots.hpp"

namespace abut::record {

void HeritageOffice::leave(uint32_t session, uint32_t fork, Heritage heritage) {
  const std::lock_guard lock(mutex_);
  left_[{session, fork}] = std::move(heritage);
  changed_.notify_all();
}

void HeritageOffice::close(uint32_t session) {
  const std::lock_guard lock(mutex_);
  closed_.insert(session);
  changed_.notify_all();
}

Heritage HeritageOffice::claim(uint32_t session, uint32_t fork) {
  std::unique_lock lock(mutex_);
  const std::pair key(session, fork);
  changed_.wait(lock, [&] { return left_.count(key) != 0 || closed_.count(session) != 0; });
  const auto found = left_.find(key);
  if (found == left_.end()) return {};
  Heritage heritage = std::move(found->second);
  left_.erase(found);
  return heritage;
}

} // namespace abut::record
