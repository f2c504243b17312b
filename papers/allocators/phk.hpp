// PHKmalloc (Feng and Berger, section 2.2), and its variants with exact classes and with reaps (section 4.3).
#pragma once

#include "allocators/layers/classes.hpp"
#include "allocators/layers/direct.hpp"
#include "allocators/layers/orders.hpp"
#include "allocators/layers/segregated_pages.hpp"

namespace abut::allocators {

using layers::Grain;
using layers::Release;

// Sizes below 2 KiB in pages of equal cells; from there on whole pages, whose rest nobody uses.
template <class Classes, class Slots>
class PhkHeap {
  using Policy = layers::BlockPolicy<Classes, Slots, layers::LowestFirst, 0, true, 1>;
  using Block = layers::PageBlock<Slots>;
  using Manager = layers::PageManager<Block, layers::RunsByAddress>;

public:
  explicit PhkHeap(Grain grain) : small_(manager_, grain) {}

  void *allocate(size_t bytes, size_t align) {
    if (small_.serves(bytes, align)) return small_.allocate(bytes, align);
    if (bytes <= 8 * MiB && align <= kPageBytes) {
      auto *run = manager_.take(Pages::holding(bytes));
      return run != nullptr ? reinterpret_cast<void *>(run->memory()) : nullptr;
    }
    return direct_.allocate(bytes, align);
  }

  Release release(void *block) {
    if (layers::kind_of(block) != layers::AreaKind::runs) return direct_.release(block);
    auto *run = Manager::head_of(block);
    if (run == nullptr) return Release::not_a_block;
    if (run->data.each != 0) return small_.release(block);
    if (run->memory() != reinterpret_cast<Address>(block)) return Release::not_a_block;
    manager_.give(run);
    return Release::done;
  }

  size_t usable(const void *block) const {
    if (layers::kind_of(block) != layers::AreaKind::runs) return direct_.usable(block);
    const auto *run = Manager::head_of(block);
    if (run == nullptr) return 0;
    if (run->data.each != 0) return small_.usable(block);
    return run->memory() == reinterpret_cast<Address>(block) ? run->run.bytes() : 0;
  }

private:
  Manager manager_{layers::AreaKind::runs};
  layers::SegregatedPages<Policy, Manager> small_;
  layers::Direct direct_;
};

using PhkClasses = layers::PowerOfTwoClasses<8, 2 * KiB>;
using ExactClasses = layers::EightByteClasses<2 * KiB>;
using PhkBitmap = layers::BitmapSlots<512>;

using Phk = PhkHeap<PhkClasses, PhkBitmap>;
using PhkSc = PhkHeap<ExactClasses, PhkBitmap>;
using PhkReap = PhkHeap<PhkClasses, layers::ReapSlots>;
using PhkScReap = PhkHeap<ExactClasses, layers::ReapSlots>;

} // namespace abut::allocators
