// Blocks sorted by how full they are: a doubly linked list a class, through records of two numbers that the heap keeps
// for each block (Adcock 2009, 4.2.3 and 4.2.4: a list set). Each list is a stack.
#pragma once

#include <cstdint>

namespace adcock::move {

inline constexpr std::uint32_t kNobody = 0xffffffffu;

struct Neighbours {
  std::uint32_t before;
  std::uint32_t after;
};

// `Classes` lists. `Links` gives each member's neighbours: links[member].
template <unsigned Classes>
class ListSet {
public:
  ListSet() { clear(); }

  void clear() {
    for (auto &head : heads_) head = kNobody;
  }

  template <typename Links>
  void push(Links &links, unsigned list, std::uint32_t member) {
    links[member] = {kNobody, heads_[list]};
    if (heads_[list] != kNobody) links[heads_[list]].before = member;
    heads_[list] = member;
  }

  template <typename Links>
  void remove(Links &links, unsigned list, std::uint32_t member) {
    const Neighbours around = links[member];
    if (around.before == kNobody) {
      heads_[list] = around.after;
    } else {
      links[around.before].after = around.after;
    }
    if (around.after != kNobody) links[around.after].before = around.before;
  }

  std::uint32_t top(unsigned list) const { return heads_[list]; }

  // The top of the lowest, or highest, list in [from, Classes) that is not empty; kNobody if all are.
  std::uint32_t lowest(unsigned from = 0) const {
    for (unsigned list = from; list < Classes; ++list)
      if (heads_[list] != kNobody) return heads_[list];
    return kNobody;
  }
  std::uint32_t highest() const {
    for (unsigned list = Classes; list-- > 0;)
      if (heads_[list] != kNobody) return heads_[list];
    return kNobody;
  }

private:
  std::uint32_t heads_[Classes];
};

// How the blocks that are not full are sorted: class 0 holds the empty ones. A full block is in no list.
template <unsigned Capacity, bool Ranked, unsigned MostClasses>
struct Classing {
  static constexpr unsigned kStep = (Capacity + MostClasses - 2) / (MostClasses - 1);
  static constexpr unsigned kClasses =
      Ranked ? 1 + (Capacity - 1 + kStep - 1) / kStep : (Capacity > 1 ? 2 : 1);
  static constexpr unsigned of(unsigned count) {
    if (count == 0) return 0;
    return Ranked ? 1 + (count - 1) / kStep : 1;
  }
};

} // namespace adcock::move
