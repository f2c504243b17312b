// What iterators know of their container with ABUT_CHECKED: which it is, and how often it had changed when they were made.
#pragma once

#include "config.hpp"

namespace abut::detail {

// How often a container has changed in a way that ends iterators. Empty, where iterators are not checked.
class Changes {
public:
#if ABUT_CHECKED
  Changes() = default;
  Changes(const Changes &) = delete;
  Changes &operator=(const Changes &) = delete;
  ~Changes() { count_ = ~0ul; }
  void add() noexcept { ++count_; }
  unsigned long count() const noexcept { return count_; }

private:
  unsigned long count_ = 0;
#else
  void add() noexcept {}
#endif
};

// What an iterator remembers of its container.
class Origin {
public:
  Origin() = default;
#if ABUT_CHECKED
  explicit Origin(const Changes &changes) : changes_(&changes), seen_(changes.count()) {}
  void check() const noexcept {
    detail::check(changes_ != nullptr, "an iterator of no container is used");
    detail::check(changes_->count() == seen_,
                  "a stale iterator is used: its container has changed");
  }
  void check_from(const Changes &changes) const noexcept {
    check();
    detail::check(changes_ == &changes, "an iterator of another container is used");
  }
  void check_same(const Origin &other) const noexcept {
    detail::check(changes_ == other.changes_, "iterators of two containers are compared");
  }

private:
  const Changes *changes_ = nullptr;
  unsigned long seen_ = 0;
#else
  explicit Origin(const Changes &) {}
  void check() const noexcept {}
  void check_from(const Changes &) const noexcept {}
  void check_same(const Origin &) const noexcept {}
#endif
};

} // namespace abut::detail
