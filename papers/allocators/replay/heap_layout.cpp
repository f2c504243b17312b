// Layouts for the simulator: one of the papers' allocators is asked for what a recorded program asked for.
#include "allocators/catalogue.hpp"
#include "allocators/layers/areas.hpp"
#include "bindings/more_layouts.hpp"

#include <algorithm>
#include <unordered_map>

namespace abut::allocators {
namespace {

using layers::Grain;

// Addresses as they are named outside, the same in every run: areas one after another from here, and then mappings.
constexpr uint64_t kAreasBegin = uint64_t{1} << 44;
constexpr uint64_t kMappingsBegin = uint64_t{1} << 45;

// A live allocator of its own. Its blocks exist, so that it can write into those that are free; what the program did
// with them does not happen.
class HeapLayout final : public sim::Layout {
public:
  HeapLayout(const Entry &entry, Grain grain) : grain_(grain) { heap_.open(entry, grain); }
  ~HeapLayout() override {
    for (const auto &[base, block] : blocks_) heap_.release(block);
  }

protected:
  uint64_t place(const trace::Event &event, uint64_t size) override {
    const uint64_t bytes = std::clamp<uint64_t>(size, 1, kLargest);
    void *block = heap_.is_open() ? heap_.allocate(bytes, alignment(event, bytes)) : nullptr;
    if (block == nullptr) return event.address;
    const uint64_t base = named(block, bytes);
    blocks_[base] = block;
    return base;
  }

  void give_back(uint64_t base, uint64_t) override {
    const auto found = blocks_.find(base);
    if (found == blocks_.end()) return;
    heap_.release(found->second);
    blocks_.erase(found);
  }

  // As the library resizes blocks (allocators/api/chosen.cpp).
  bool can_stay(const trace::Event &, uint64_t size, uint64_t new_size) const override {
    const uint64_t had = layers::rounded(size, grain_);
    return new_size <= had && new_size > had / 2;
  }

private:
  static constexpr uint64_t kLargest = uint64_t{1} << 40;

  size_t alignment(const trace::Event &event, uint64_t bytes) const {
    const size_t natural = bytes <= 8 ? 8 : layers::bytes_of(grain_);
    const bool asked = event.kind == trace::EventKind::allocate && is_power_of_two(event.detail) &&
                       event.detail <= MiB;
    return asked ? std::max<size_t>(natural, event.detail) : natural;
  }

  uint64_t named(const void *block, uint64_t bytes) {
    const auto address = reinterpret_cast<Address>(block);
    if (layers::kind_of(block) == layers::AreaKind::none) {
      const uint64_t base = next_mapping_ + address % kPageBytes;
      next_mapping_ += round_up(bytes + kPageBytes, kPageBytes);
      return base;
    }
    const Address area = layers::area_of(block);
    const uint64_t number = numbers_.try_emplace(area, numbers_.size()).first->second;
    return kAreasBegin + number * layers::kAreaBytes + (address - area);
  }

  Instance heap_;
  Grain grain_;
  std::unordered_map<Address, uint64_t> numbers_; // of areas, in order of their first block
  std::unordered_map<uint64_t, void *> blocks_; // that are live, by the addresses they are named by
  uint64_t next_mapping_ = kMappingsBegin;
};

constexpr std::string_view kEight = "+align=8"; // blocks at multiples of eight, as in the papers

std::unique_ptr<sim::Layout> heap_layout(std::string_view name) {
  Grain grain = Grain::sixteen;
  if (name.ends_with(kEight)) {
    grain = Grain::eight;
    name.remove_suffix(kEight.size());
  }
  const Entry *entry = find_allocator(name.data(), name.size());
  return entry != nullptr ? std::make_unique<HeapLayout>(*entry, grain) : nullptr;
}

[[maybe_unused]] const bool kIsRegistered = bindings::register_layouts(heap_layout);

} // namespace
} // namespace abut::allocators
