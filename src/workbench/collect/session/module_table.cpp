#include "collect/session/module_table.hpp"

#include "collect/session/elf_image.hpp"

#include <iterator>
#include <string_view>

namespace abut::record {

namespace {

bool is_called(const std::string &path, std::string_view begin) {
  return path.compare(path.rfind('/') + 1, begin.size(), begin) == 0;
}

} // namespace

const ModuleTable::Part *ModuleTable::find(uint64_t address) const {
  auto next = parts_.upper_bound(address);
  if (next == parts_.begin()) return nullptr;
  const Part &part = std::prev(next)->second;
  return address < part.end ? &part : nullptr;
}

void ModuleTable::mapped(uint64_t address, uint64_t bytes, uint64_t offset,
                         const std::string &path) {
  if (find(address) != nullptr) return; // its rights were changed
  const auto image = read_elf_image(path, offset);
  if (!image) return; // data that may run, or a file that is gone: its addresses stay what they are
  trace::Module module;
  module.path = path;
  module.build_id = image->build_id;
  module.base = address - offset - image->shift;
  module.length = image->length;
  for (const auto &[first, part] : parts_) {
    if (part.base != module.base) continue; // another part of the same module
    Part other = part;
    other.end = address + bytes;
    parts_.emplace(address, other);
    return;
  }
  const uint32_t number = writer_.module(module);
  const bool is_c_library = is_called(path, "libc.so") || is_called(path, "libc-");
  const bool is_recorders = is_called(path, "vgpreload_");
  parts_.emplace(address, Part{address + bytes, number, module.base, is_recorders, is_c_library});
}

void ModuleTable::unmapped(uint64_t address, uint64_t bytes) {
  auto at = parts_.lower_bound(address);
  while (at != parts_.end() && at->first < address + bytes) {
    writer_.unload(at->second.number);
    at = parts_.erase(at);
  }
}

trace::Frame ModuleTable::frame(uint64_t address) const {
  const Part *part = find(address);
  return part == nullptr ? trace::Frame{0, address}
                         : trace::Frame{part->number, address - part->base};
}

bool ModuleTable::has(bool Part::*trait, uint64_t address) const {
  const Part *part = find(address);
  return part != nullptr && part->*trait;
}

} // namespace abut::record
