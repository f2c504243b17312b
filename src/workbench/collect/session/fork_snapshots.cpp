#include "collect/session/fork_snapshots.hpp"

namespace abut::record {

void ForkSnapshots::put(uint32_t session, uint32_t fork, Snapshot snapshot) {
  const std::lock_guard lock(mutex_);
  snapshots_[{session, fork}] = std::move(snapshot);
  changed_.notify_all();
}

void ForkSnapshots::close(uint32_t session) {
  const std::lock_guard lock(mutex_);
  closed_.insert(session);
  changed_.notify_all();
}

Snapshot ForkSnapshots::take(uint32_t session, uint32_t fork) {
  std::unique_lock lock(mutex_);
  const std::pair key(session, fork);
  changed_.wait(lock, [&] { return snapshots_.count(key) != 0 || closed_.count(session) != 0; });
  const auto found = snapshots_.find(key);
  if (found == snapshots_.end()) return {};
  Snapshot snapshot = std::move(found->second);
  snapshots_.erase(found);
  return snapshot;
}

} // namespace abut::record
