#include "collect/session/object_map.hpp"

#include <algorithm>

namespace abut::record {

ObjectMap::ObjectMap() : districts_(size_t{1} << (kAddressBits - kDistrictBits)), objects_(1) {}

void ObjectMap::FreeRegion::operator()(Region *region) const {
  for (const uint64_t page : region->pages)
    if ((page & 1) == 0) delete granules(page);
  delete region;
}

uint64_t &ObjectMap::page_of(uint64_t address) {
  auto &district = districts_[address >> kDistrictBits];
  if (district == nullptr) district = std::make_unique<District>();
  auto &region = district->regions[(address >> kRegionBits) % kDistrictRegions];
  if (region == nullptr) region.reset(new Region());
  return region->pages[(address >> kPageBits) % kRegionPages];
}

// Gives a page that is one object's a list of granules.
void ObjectMap::split(uint64_t &page) {
  if (page != 0 && (page & 1) == 0) return;
  auto *list = new Granules;
  list->handles.fill(static_cast<Handle>(page >> 1));
  page = reinterpret_cast<uint64_t>(list);
}

// Makes a page one object's again, where it is.
void ObjectMap::join(uint64_t &page) {
  const auto &handles = granules(page)->handles;
  const Handle handle = handles[0];
  if (!std::all_of(handles.begin(), handles.end(), [=](Handle h) { return h == handle; })) return;
  delete granules(page);
  page = handle == 0 ? 0 : uint64_t{handle} << 1 | 1;
}

template <typename Change>
void ObjectMap::change_granules(uint64_t &page, uint64_t first, uint64_t last, Change change) {
  const bool is_all = last - first + 1 == kPageGranules;
  if (is_all && (page == 0 || (page & 1) != 0)) {
    const Handle handle = change(static_cast<Handle>(page >> 1), kPageGranules);
    page = handle == 0 ? 0 : uint64_t{handle} << 1 | 1;
    return;
  }
  split(page);
  auto &handles = granules(page)->handles;
  for (uint64_t i = first; i <= last;) {
    uint64_t j = i + 1;
    while (j <= last && handles[j] == handles[i]) ++j;
    const Handle handle = change(handles[i], j - i);
    std::fill(handles.begin() + i, handles.begin() + j, handle);
    i = j;
  }
  if (is_all) join(page);
}

// Calls `change(handle, granules)` for runs of granules with one handle; it answers which handle they get.
template <typename Change>
void ObjectMap::change_range(uint64_t address, uint64_t bytes, Change change) {
  constexpr uint64_t kPageBytes = uint64_t{1} << kPageBits;
  constexpr uint64_t kMost = uint64_t{1} << kAddressBits;
  if (address >= kMost || bytes > kMost - address) return;
  const uint64_t end = address + std::max<uint64_t>(bytes, 1);
  for (uint64_t at = address; at < end;) {
    const uint64_t next = std::min((at | (kPageBytes - 1)) + 1, end);
    change_granules(page_of(at), (at >> kGranuleBits) % kPageGranules,
                    ((next - 1) >> kGranuleBits) % kPageGranules, change);
    at = next;
  }
}

void ObjectMap::unrefer(Handle handle, uint64_t granules) {
  if (handle == 0) return;
  Object &object = objects_[handle];
  object.granules -= granules;
  if (object.granules == 0 && !object.live) unused_.push_back(handle);
}

void ObjectMap::claim(Handle handle, uint64_t address, uint64_t bytes) {
  change_range(address, bytes, [&](Handle old, uint64_t granules) {
    objects_[handle].granules += granules;
    unrefer(old, granules);
    return handle;
  });
}

void ObjectMap::release(Handle handle, uint64_t address, uint64_t bytes) {
  change_range(address, bytes, [&](Handle old, uint64_t granules) {
    if (old != handle) return old;
    unrefer(old, granules);
    return Handle{0};
  });
}

Handle ObjectMap::add(uint64_t number, uint64_t address, uint64_t bytes) {
  Handle handle = 0;
  if (unused_.empty()) {
    handle = static_cast<Handle>(objects_.size());
    objects_.emplace_back();
  } else {
    handle = unused_.back();
    unused_.pop_back();
  }
  objects_[handle] = {number, address, bytes, bytes, bytes, 0, true};
  claim(handle, address, bytes);
  return handle;
}

void ObjectMap::kill(Handle handle) {
  objects_[handle].live = false;
  objects_[handle].certain = 0;
  if (objects_[handle].granules == 0) unused_.push_back(handle);
}

void ObjectMap::move(Handle handle, uint64_t address, uint64_t bytes) {
  Object &object = objects_[handle];
  release(handle, object.address, object.extent);
  object.address = address;
  object.bytes = object.certain = object.extent = bytes;
  claim(handle, address, bytes);
}

void ObjectMap::extend(Handle handle, uint64_t extent) {
  Object &object = objects_[handle];
  if (extent <= object.extent) return;
  claim(handle, object.address + object.extent, extent - object.extent);
  object.certain = object.extent = extent;
}

void ObjectMap::forget_dead(uint64_t address, uint64_t bytes) {
  if (bytes == 0 || address >> kAddressBits != 0) return;
  for (uint64_t end = address + bytes; address < end;) {
    const uint64_t next = std::min(((address >> kRegionBits) + 1) << kRegionBits, end);
    if (region_of(address) != nullptr) {
      change_range(address, next - address, [&](Handle old, uint64_t granules) {
        if (objects_[old].live) return old;
        unrefer(old, granules);
        return Handle{0};
      });
    }
    address = next;
    if (address >> kAddressBits != 0) return;
  }
}

uint64_t ObjectMap::skip_empty(uint64_t address) const {
  if (address >> kAddressBits != 0) return address;
  const auto after = [address](int bits) { return ((address >> bits) + 1) << bits; };
  if (districts_[address >> kDistrictBits] == nullptr) return after(kDistrictBits);
  const Region *region = region_of(address);
  if (region == nullptr) return after(kRegionBits);
  const bool is_empty = region->pages[(address >> kPageBits) % kRegionPages] == 0;
  return find(address) != 0 ? address : after(is_empty ? kPageBits : kGranuleBits);
}

std::vector<Handle> ObjectMap::live_by_number() const {
  std::vector<Handle> live;
  for (Handle handle = 1; handle < objects_.size(); ++handle)
    if (objects_[handle].live) live.push_back(handle);
  std::sort(live.begin(), live.end(),
            [&](Handle a, Handle b) { return objects_[a].number < objects_[b].number; });
  return live;
}

} // namespace abut::record
