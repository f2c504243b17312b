// MLIST as cache-aware lists keep it, which have no links between the elements of a block (Adcock 2009, 2.2.4.2 and 3.5.2):
// the half-full list, where the least is half of the most, and VCL with any least, after Rubin, Bernstein and Rodeh.
#include "move/mlist.hpp"

#include <algorithm>
#include <memory>

namespace bench {
namespace {

template <std::uint32_t BlockBytes>
class UnrolledLists {
  static constexpr std::uint32_t kMost = (BlockBytes - 16) / 4;
  struct Block {
    Block *next;
    std::uint32_t count;
    std::uint32_t data[kMost];
  };
  // A block, the link to it, and which of its elements.
  struct Spot {
    Block **link;
    std::uint32_t slot;
  };

public:
  explicit UnrolledLists(const MlistSettings &settings)
      : heads_(settings.lists),
        least_(settings.mover == "half-full"
                   ? kMost / 2
                   : std::max(1u, static_cast<std::uint32_t>(kMost * settings.least / 100))),
        building_(settings.lists), looks_far_(settings.mover == "vcl") {}

  void push_front(std::uint32_t list, std::uint32_t data) { building_[list].push_back(data); }
  void built() {
    for (std::size_t list = 0; list < heads_.size(); ++list) {
      Block **link = &heads_[list];
      for (auto i = building_[list].rbegin(); i != building_[list].rend();) {
        *link = make();
        while (i != building_[list].rend() && (*link)->count < kMost)
          (*link)->data[(*link)->count++] = *i++;
        link = &(*link)->next;
      }
      nodes_ += building_[list].size();
    }
    building_ = {};
  }
  void erase(std::uint32_t list, std::uint64_t index, Checksum &sum) {
    const auto [link, slot] = walk(list, index, false, sum);
    Block &block = **link;
    std::copy(block.data + slot + 1, block.data + block.count, block.data + slot);
    if (--block.count == 0)
      drop(link);
    else if (block.count < least_ && block.next != nullptr)
      refill(link);
    --nodes_;
  }
  void insert(std::uint32_t list, std::uint64_t index, std::uint32_t data, Checksum &sum) {
    auto [link, slot] = walk(list, index, true, sum);
    ++nodes_;
    if (*link == nullptr) *link = make();
    while ((*link)->count == kMost) {
      make_room(*link);
      if (slot > (*link)->count) {
        slot -= (*link)->count;
        link = &(*link)->next;
      }
    }
    Block &block = **link;
    std::copy_backward(block.data + slot, block.data + block.count, block.data + block.count + 1);
    block.data[slot] = data;
    ++block.count;
  }
  void work(std::uint64_t /*done*/) {}
  void lay_out() {}
  // As though each element were a node of 8 bytes, which it is without links.
  double ratio() const {
    return static_cast<double>(blocks_) * sizeof(Block) / (8.0 * static_cast<double>(nodes_));
  }

private:
  Spot walk(std::uint32_t list, std::uint64_t index, bool may_end, Checksum &sum) {
    Block **link = &heads_[list];
    while (*link != nullptr) {
      const Block &block = **link;
      const auto here = std::min<std::uint64_t>(index, block.count);
      for (std::uint64_t i = 0; i < here; ++i) sum.add(block.data[i]);
      index -= here;
      if (here < block.count || (index == 0 && may_end)) return {link, std::uint32_t(here)};
      link = &(*link)->next;
    }
    return {link, 0};
  }
  Block *make() {
    ++blocks_;
    if (free_ == nullptr) {
      chunks_.push_back(std::make_unique<Block[]>(1024));
      for (std::size_t i = 0; i < 1024; ++i) {
        chunks_.back()[i].next = free_;
        free_ = &chunks_.back()[i];
      }
    }
    Block *block = free_;
    free_ = block->next;
    block->next = nullptr;
    block->count = 0;
    return block;
  }
  void drop(Block **link) {
    Block *block = *link;
    *link = block->next;
    block->next = free_;
    free_ = block;
    --blocks_;
  }
  // The last `count` elements of a block go to the front of the next.
  static void pass_on(Block &from, Block &to, std::uint32_t count) {
    std::copy_backward(to.data, to.data + to.count, to.data + to.count + count);
    std::copy(from.data + from.count - count, from.data + from.count, to.data);
    from.count -= count;
    to.count += count;
  }
  // A block is full: it passes one element on, as far as there is room; or it is parted.
  void make_room(Block *full) {
    std::uint32_t looked = 0;
    const std::uint32_t reach = looks_far_ ? least_ : 1;
    Block *roomy = full->next;
    while (roomy != nullptr && roomy->count == kMost && looked < reach) {
      roomy = roomy->next;
      ++looked;
    }
    if (roomy == nullptr || roomy->count == kMost) {
      Block *fresh = make();
      fresh->next = full->next;
      full->next = fresh;
      pass_on(*full, *fresh, kMost / 2);
      return;
    }
    // From the one before the roomy block back to the full one, each passes one on.
    while (roomy != full) {
      Block *before = full;
      while (before->next != roomy) before = before->next;
      pass_on(*before, *roomy, 1);
      roomy = before;
    }
  }
  // A block has too few: it joins the next, or takes some of it.
  void refill(Block **link) {
    Block &block = **link;
    Block &next = *block.next;
    const std::uint32_t half = next.count > block.count ? (next.count - block.count + 1) / 2 : 1;
    const std::uint32_t taken = block.count + next.count <= kMost ? next.count : half;
    std::copy(next.data, next.data + taken, block.data + block.count);
    std::copy(next.data + taken, next.data + next.count, next.data);
    block.count += taken;
    next.count -= taken;
    if (next.count == 0) drop(&block.next);
  }

  std::vector<Block *> heads_;
  std::uint32_t least_;
  std::vector<std::vector<std::uint32_t>> building_;
  std::vector<std::unique_ptr<Block[]>> chunks_;
  Block *free_ = nullptr;
  std::uint64_t blocks_ = 0;
  std::uint64_t nodes_ = 0;
  bool looks_far_;
};

} // namespace

bool run_unrolled_lists(const MlistSettings &settings) {
  if (settings.mover != "half-full" && settings.mover != "vcl") return false;
  switch (settings.block) {
  case 64: MlistProgram<UnrolledLists<64>>(settings).run(); break;
  case 256: MlistProgram<UnrolledLists<256>>(settings).run(); break;
  case 1024: MlistProgram<UnrolledLists<1024>>(settings).run(); break;
  default: MlistProgram<UnrolledLists<4096>>(settings).run(); break;
  }
  return true;
}

} // namespace bench
