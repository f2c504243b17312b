#include "context/loaded_code.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

namespace abut::context {

LoadedObject object_around(Address code) {
  dl_find_object found;
  if (_dl_find_object(reinterpret_cast<void *>(code), &found) != 0) return {};
  return {{reinterpret_cast<Address>(found.dlfo_map_start),
           reinterpret_cast<Address>(found.dlfo_map_end)},
          found.dlfo_link_map,
          reinterpret_cast<Address>(found.dlfo_eh_frame)};
}

CodeRange segment_around(const LoadedObject &object, Address at, bool executable) {
  if (!object.range.holds(at) || object.range.end - object.range.begin < kPageBytes) return {};
  const auto *header = reinterpret_cast<const ElfW(Ehdr) *>(object.range.begin);
  if (std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return {};
  if (header->e_phentsize != sizeof(ElfW(Phdr)) ||
      header->e_phoff + header->e_phnum * sizeof(ElfW(Phdr)) > kPageBytes)
    return {};
  const auto *segment = reinterpret_cast<const ElfW(Phdr) *>(object.range.begin + header->e_phoff);
  const auto *end = segment + header->e_phnum;
  Address shift = 0; // the file's first segment says by how much the object was moved
  bool moved = false;
  for (; segment != end; ++segment) {
    if (segment->p_type != PT_LOAD) continue;
    if (!moved) shift = object.range.begin - round_down(segment->p_vaddr, kPageBytes);
    moved = true;
    const CodeRange range{shift + segment->p_vaddr, shift + segment->p_vaddr + segment->p_filesz};
    if (range.holds(at) && object.range.holds(range.end - 1))
      return (!executable || (segment->p_flags & PF_X) != 0) ? range : CodeRange{};
  }
  return {};
}

bool is_loader(Address code) {
  const Address base = getauxval(AT_BASE);
  return base != 0 && object_around(base).range.holds(code);
}

} // namespace abut::context
