// Call chains by number: the same chain always has the same one.
#pragma once

#include "trace/events.hpp"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace abut::trace {

class ContextTable {
public:
  // The chain's number, from 1, and whether it is new.
  std::pair<uint32_t, bool> number_of(std::span<const Frame> chain) {
    std::vector<Frame> key(chain.begin(), chain.end());
    const auto next = static_cast<uint32_t>(numbers_.size() + 1);
    const auto [found, fresh] = numbers_.try_emplace(std::move(key), next);
    return {found->second, fresh};
  }

private:
  struct Hash {
    size_t operator()(const std::vector<Frame> &chain) const {
      uint64_t hash = chain.size();
      for (const Frame &frame : chain)
        hash = (hash ^ (frame.offset + (uint64_t{frame.module} << 48))) * 0x9e3779b97f4a7c15U;
      return hash ^ (hash >> 32);
    }
  };

  std::unordered_map<std::vector<Frame>, uint32_t, Hash> numbers_;
};

} // namespace abut::trace
