// Which object an address belongs to.
//
// A table of pages: a page is one object's as a whole, or has a list of its granules of 8 bytes. Objects have handles,
// which are used again once nothing refers to them: so that what this needs is bounded by the heap's size, however many
// objects come and go. The table is in parts, so that a small process, of which there may be very many, needs little.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace abut::record {

// 0 is none.
using Handle = uint32_t;

// One line of the cache.
struct alignas(64) Object {
  uint64_t number = 0; // in the trace
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint64_t certain = 0; // bytes that are its own for sure: its extent while it lives, then 0
  uint64_t extent =
      0; // bytes that the program may use: those asked for, or what malloc_usable_size answered
  uint64_t granules = 0; // that refer to it
  bool live = false;
};

class ObjectMap {
public:
  ObjectMap();

  // A new live object. What other objects had there is no longer theirs.
  Handle add(uint64_t number, uint64_t address, uint64_t bytes);
  // The object is dead, and keeps its memory until that is another's.
  void kill(Handle);
  void move(Handle, uint64_t address, uint64_t bytes);
  void extend(Handle, uint64_t extent);
  // Takes memory away from dead objects.
  void forget_dead(uint64_t address, uint64_t bytes);

  // The object whose granule this is, dead or alive.
  Handle find(uint64_t address) const {
    if (address >> kAddressBits != 0) return 0;
    const Region *region = region_of(address);
    if (region == nullptr) return 0;
    const uint64_t page = region->pages[(address >> kPageBits) % kRegionPages];
    if ((page & 1) != 0) return static_cast<Handle>(page >> 1);
    return page == 0 ? 0 : granules(page)->handles[(address >> kGranuleBits) % kPageGranules];
  }
  // The next address, from this one on, that may be an object's.
  uint64_t skip_empty(uint64_t address) const;
  // The live object that begins there.
  Handle find_live(uint64_t address) const {
    const Handle handle = find(address);
    return objects_[handle].live && objects_[handle].address == address ? handle : 0;
  }
  const Object &operator[](Handle handle) const { return objects_[handle]; }

  // Calls `visit` with each live object, in the order of their numbers.
  template <typename Visit>
  void for_each_live(Visit visit) const {
    for (const Handle handle : live_by_number()) visit(objects_[handle]);
  }

private:
  static constexpr int kAddressBits = 47;
  static constexpr int kDistrictBits = 36;
  static constexpr int kRegionBits = 25;
  static constexpr int kPageBits = 12;
  static constexpr int kGranuleBits = 3;
  static constexpr uint64_t kDistrictRegions = 1ull << (kDistrictBits - kRegionBits);
  static constexpr uint64_t kRegionPages = 1ull << (kRegionBits - kPageBits);
  static constexpr uint64_t kPageGranules = 1ull << (kPageBits - kGranuleBits);

  struct Granules {
    std::array<Handle, kPageGranules> handles;
  };
  // A page is 0: no object's; odd: twice the handle and 1; else the address of its granules.
  struct Region {
    std::array<uint64_t, kRegionPages> pages;
  };
  struct FreeRegion {
    void operator()(Region *region) const;
  };
  struct District {
    std::array<std::unique_ptr<Region, FreeRegion>, kDistrictRegions> regions;
  };

  static Granules *granules(uint64_t page) { return reinterpret_cast<Granules *>(page); }

  template <typename Change>
  void change_range(uint64_t address, uint64_t bytes, Change change);
  template <typename Change>
  static void change_granules(uint64_t &page, uint64_t first, uint64_t last, Change change);
  static void split(uint64_t &page);
  static void join(uint64_t &page);
  const Region *region_of(uint64_t address) const {
    const District *district = districts_[address >> kDistrictBits].get();
    if (district == nullptr) return nullptr;
    return district->regions[(address >> kRegionBits) % kDistrictRegions].get();
  }
  uint64_t &page_of(uint64_t address);
  void claim(Handle, uint64_t address, uint64_t bytes);
  void release(Handle, uint64_t address, uint64_t bytes);
  void unrefer(Handle, uint64_t granules);
  std::vector<Handle> live_by_number() const;

  std::vector<std::unique_ptr<District>> districts_;
  std::vector<Object> objects_;
  std::vector<Handle> unused_;
};

} // namespace abut::record
