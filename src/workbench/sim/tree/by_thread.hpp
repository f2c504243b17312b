// Caches of which each thread has its own, and references split by thread.
#pragma once

#include "sim/reference.hpp"
#include "sim/settings.hpp"

#include <memory>
#include <unordered_map>
#include <vector>

namespace abut::sim {

// Threads with one of their own; further ones share the first.
inline constexpr size_t kMostThreads = 256;

template <typename One>
class ByThread {
public:
  // The thread's own, made where it has none yet.
  template <typename Make>
  One &of(uint32_t thread, const Make &make) {
    const auto [found, fresh] = numbers_.try_emplace(thread, all_.size() % kMostThreads);
    if (fresh && all_.size() < kMostThreads) all_.push_back(make());
    return *all_[found->second];
  }

  const std::vector<std::unique_ptr<One>> &all() const { return all_; }

private:
  std::unordered_map<uint32_t, size_t> numbers_;
  std::vector<std::unique_ptr<One>> all_;
};

constexpr bool is_served(Serves serves, Side side) {
  return serves == Serves::all || (serves == Serves::allocator) == (side == Side::allocator);
}

// Calls `take` with a thread, 0 where the level is shared, and with references of that thread in a row that the level
// serves.
template <typename Take>
void take_apart(const LevelSettings &level, const References &references, const Take &take) {
  if (!level.per_thread && level.serves == Serves::all) return take(0, references);
  const auto thread_at = [&](size_t i) {
    return level.per_thread && !references.threads.empty() ? references.threads[i] : 0;
  };
  const auto served_at = [&](size_t i) {
    return is_served(level.serves,
                     side_of(references.kinds.empty() ? Kind{0} : references.kinds[i]));
  };
  for (size_t done = 0, end = 0; done < references.count(); done = end) {
    const uint32_t thread = thread_at(done);
    const bool served = served_at(done);
    while (end < references.count() && thread_at(end) == thread && served_at(end) == served) ++end;
    if (served) take(thread, references.part(done, end - done));
  }
}

} // namespace abut::sim
