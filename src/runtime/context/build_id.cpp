#include "context/build_id.hpp"

#include <cstring>
#include <elf.h>
#include <sys/auxv.h>

namespace abut::context {
namespace {

size_t padded(size_t bytes) { return (bytes + 3) & ~size_t{3}; }

// Notes of a segment that is mapped, up to `end`.
BuildId build_id_in(Address at, Address end) {
  while (at < end && end - at > sizeof(ElfW(Nhdr))) {
    const auto *note = reinterpret_cast<const ElfW(Nhdr) *>(at);
    const Address name = at + sizeof *note;
    if (note->n_namesz > end - name) return {};
    const Address content = name + padded(note->n_namesz);
    if (content > end || note->n_descsz > end - content) return {};
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof ELF_NOTE_GNU &&
        std::memcmp(reinterpret_cast<const void *>(name), ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0)
      return {reinterpret_cast<const uint8_t *>(content), note->n_descsz};
    at = content + padded(note->n_descsz);
  }
  return {};
}

} // namespace

BuildId build_id(const LoadedObject &object) {
  if (!object) return {};
  const Address bias = load_bias(object);
  for (const ElfW(Phdr) & segment : segments_of(object)) {
    const Address begin = bias + segment.p_vaddr;
    if (segment.p_type != PT_NOTE || !object.range.holds(begin) || segment.p_memsz == 0 ||
        !object.range.holds(begin + segment.p_memsz - 1))
      continue;
    const BuildId found = build_id_in(begin, begin + segment.p_memsz);
    if (!found.empty()) return found;
  }
  return {};
}

LoadedObject program() { return object_around(getauxval(AT_ENTRY)); }

Address load_bias(const LoadedObject &object) {
  return static_cast<const link_map *>(object.identity)->l_addr;
}

} // namespace abut::context
