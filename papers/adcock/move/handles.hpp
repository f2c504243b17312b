// Handles: names of nodes that stay good when the nodes move, and are known to be stale once the nodes are gone.
#pragma once

#include "parts/levels.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace adcock::move {

// What a program keeps instead of a pointer.
struct Handle {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;
  bool operator==(const Handle &) const = default;
};

// Who has a handle, and where it is now. Only nodes that were asked for cost anything.
class HandleTable {
public:
  // The cell's handle: the one that it has, or a new one.
  Handle of(CellId cell) {
    const auto [entry, is_new] = by_cell_.try_emplace(number(cell), 0u);
    if (is_new) entry->second = fresh(cell);
    return {entry->second, slots_[entry->second].generation};
  }
  // The cell of the node now; kNoCell if the node is gone.
  CellId cell(Handle handle) const {
    if (handle.index >= slots_.size()) return kNoCell;
    const Slot &slot = slots_[handle.index];
    return slot.generation == handle.generation ? slot.cell : kNoCell;
  }
  void moved(CellId from, CellId to) noexcept {
    if (by_cell_.empty()) return;
    auto node = by_cell_.extract(number(from));
    if (node.empty()) return;
    slots_[node.mapped()].cell = to;
    node.key() = number(to);
    by_cell_.insert(std::move(node));
  }
  void gone(CellId cell) noexcept {
    if (by_cell_.empty()) return;
    const auto entry = by_cell_.find(number(cell));
    if (entry == by_cell_.end()) return;
    Slot &slot = slots_[entry->second];
    slot.cell = kNoCell;
    ++slot.generation;
    by_cell_.erase(entry);
  }

private:
  struct Slot {
    CellId cell;
    std::uint32_t generation;
  };
  std::uint32_t fresh(CellId cell) {
    slots_.push_back({cell, 1});
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }

  std::vector<Slot> slots_;
  std::unordered_map<std::uint32_t, std::uint32_t> by_cell_;
};

} // namespace adcock::move
