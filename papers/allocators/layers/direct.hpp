// Blocks that are mappings of their own, which go back to the kernel when they are freed.
#pragma once

#include "allocators/layers/areas.hpp"
#include "allocators/layers/concepts.hpp"

#include <algorithm>

namespace abut::layers {

// What stands before such a block tells where its mapping is, and that it is one: nothing else has its seal.
class Direct {
public:
  void *allocate(size_t bytes, size_t align) {
    const size_t lead = std::max(align, sizeof(Head));
    size_t mapped = 0;
    if (__builtin_add_overflow(bytes, lead + kPageBytes - 1, &mapped)) return nullptr;
    mapped = round_down(mapped, kPageBytes);
    void *mapping = os::map(align > kPageBytes ? mapped + sizeof(Head) : mapped);
    if (mapping == nullptr) return nullptr;
    if (align > kPageBytes) mapped = round_up(mapped + sizeof(Head), kPageBytes);
    const Address begin = reinterpret_cast<Address>(mapping);
    void *block = reinterpret_cast<void *>(round_up(begin + sizeof(Head), align));
    *head_of(block) = {seal_of(block), mapping, mapped, 0};
    return block;
  }

  Release release(void *block) {
    Head *head = find(block);
    if (head == nullptr) return Release::not_a_block;
    head->seal = 0;
    os::unmap(head->mapping, head->mapped);
    return Release::done;
  }

  size_t usable(const void *block) const {
    const Head *head = find(block);
    if (head == nullptr) return 0;
    return reinterpret_cast<Address>(head->mapping) + head->mapped -
           reinterpret_cast<Address>(block);
  }

private:
  struct Head {
    uint64_t seal;
    void *mapping;
    size_t mapped;
    size_t unused; // so that a block after it is at a multiple of sixteen
  };

  uint64_t seal_of(const void *block) const {
    return secret_ ^ (reinterpret_cast<Address>(block) << 1);
  }
  static Head *head_of(const void *block) {
    return reinterpret_cast<Head *>(reinterpret_cast<Address>(block) - sizeof(Head));
  }
  Head *find(const void *block) const {
    Head *head = head_of(block);
    if (reinterpret_cast<Address>(block) % 16 != 0 || !os::is_readable(head)) return nullptr;
    return head->seal == seal_of(block) ? head : nullptr;
  }

  uint64_t secret_ = os::random_number() | 1;
};

static_assert(Heap<Direct>);

} // namespace abut::layers
