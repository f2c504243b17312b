#include "record/module_table.hpp"

#include "record/elf_image.hpp"

#include <iterator>
#include <utility>

namespace abut::record {

namespace {

bool is_recorders_file(const std::string &path) {
  const size_t slash = path.rfind('/');
  return path.compare(slash + 1, 10, "vgpreload_") == 0;
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
    parts_.emplace(address, Part{address + bytes, part.number, part.base, part.is_recorders});
    return;
  }
  const uint32_t number = writer_.module(module);
  parts_.emplace(address, Part{address + bytes, number, module.base, is_recorders_file(path)});
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

bool ModuleTable::is_recorders(uint64_t address) const {
  const Part *part = find(address);
  return part != nullptr && part->is_recorders;
}

} // namespace abut::record
