// A tree of caches: references go to a level at the top, misses down to memory. Levels may be shared by all threads or
// each thread's own, and may serve one side alone. A tree of levels whose lines are pages is a TLB.
#pragma once

#include "sim/cache/cache_level.hpp"
#include "sim/cache/counts.hpp"
#include "sim/reference.hpp"
#include "sim/settings.hpp"
#include "sim/tree/by_thread.hpp"
#include "trace/result.hpp"

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace abut::sim {

class Tree final : public Consumer {
public:
  // An error where the settings cannot be.
  static trace::Result<std::unique_ptr<Tree>> make(std::vector<LevelSettings> levels);

  void take(const References &references) override;

  const std::vector<LevelSettings> &levels() const { return settings_; }
  // Of the level with this number, in all threads.
  Counts counts(size_t level) const;
  const Memory::Bytes &memory_read() const { return memory_.read; }
  const Memory::Bytes &memory_written() const { return memory_.written; }
  // References that were taken in, by kind; and by owner, where they have one.
  const std::array<uint64_t, kKinds> &references() const { return references_; }
  const std::vector<uint64_t> &references_by_owner() const { return by_owner_; }

private:
  // Where the references of a thread go, by side.
  using Tops = std::array<Level *, kSides>;
  // For each level, the instance that belongs to the thread, or the shared one.
  using Instances = std::vector<Level *>;

  explicit Tree(std::vector<LevelSettings> levels);

  Level *instance(size_t number, Instances &own);
  Tops tops_of(uint32_t thread);
  Tops add_thread();
  void take_piece(const References &references);
  bool goes_on(const References &references, size_t i, const Tops &tops) const;
  void take_one(const Reference &reference, Level &top);
  void count(const References &references);

  std::vector<LevelSettings> settings_;
  Clock clock_;
  Memory memory_;
  std::vector<std::vector<std::unique_ptr<Level>>> all_; // of each level
  Instances shared_;
  bool may_be_plain_;
  std::vector<Tops> threads_;
  std::unordered_map<uint32_t, size_t> thread_numbers_;
  uint32_t last_thread_ = 0;
  Tops last_tops_{};
  bool any_own_ = false;
  bool any_prefetch_ = false;
  std::array<uint64_t, kKinds> references_{};
  std::vector<uint64_t> by_owner_;
};

} // namespace abut::sim
