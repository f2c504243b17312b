#include "context/loaded_code.hpp"

#include "os/os.hpp"

#include <atomic>
#include <dlfcn.h>
#include <elf.h>
#include <sys/auxv.h>

namespace abut::context {

namespace {

// The program itself from its first segment to its last. The dynamic linker knows of its code alone where there are gaps
// between its segments. Programs that are packed or hardened unmap what says so.
CodeRange program_range(Address shift) {
  static constinit std::atomic<Address> known_begin{0}, known_end{0};
  CodeRange range{known_begin.load(std::memory_order_relaxed),
                  known_end.load(std::memory_order_acquire)};
  if (range.end != 0) return range;
  const auto *segment = reinterpret_cast<const ElfW(Phdr) *>(getauxval(AT_PHDR));
  const auto *end = segment + getauxval(AT_PHNUM);
  if (!os::is_readable(segment)) return range;
  for (; segment != nullptr && segment != end; ++segment) {
    if (segment->p_type != PT_LOAD) continue;
    if (range.end == 0) range.begin = shift + round_down(segment->p_vaddr, kPageBytes);
    range.end = shift + segment->p_vaddr + segment->p_memsz;
  }
  known_begin.store(range.begin, std::memory_order_relaxed);
  known_end.store(range.end, std::memory_order_release);
  return range;
}

LoadedObject object_of(const dl_find_object &found) {
  return {{reinterpret_cast<Address>(found.dlfo_map_start),
           reinterpret_cast<Address>(found.dlfo_map_end)},
          found.dlfo_link_map,
          reinterpret_cast<Address>(found.dlfo_eh_frame)};
}

} // namespace

LoadedObject object_around(Address address) {
  dl_find_object found, entry;
  const bool known = _dl_find_object(reinterpret_cast<void *>(address), &found) == 0;
  if (_dl_find_object(reinterpret_cast<void *>(getauxval(AT_ENTRY)), &entry) == 0 &&
      (!known || found.dlfo_link_map == entry.dlfo_link_map)) {
    LoadedObject program = object_of(entry);
    const CodeRange whole = program_range(entry.dlfo_link_map->l_addr);
    if (whole.holds(program.range.begin)) program.range = whole;
    if (program.range.holds(address)) return program;
  }
  return known ? object_of(found) : LoadedObject{};
}

std::span<const ElfW(Phdr)> segments_of(const LoadedObject &object) {
  if (object.range.end - object.range.begin < kPageBytes) return {};
  const auto *header = reinterpret_cast<const ElfW(Ehdr) *>(object.range.begin);
  if (!os::is_readable(header) || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_phentsize != sizeof(ElfW(Phdr)) ||
      header->e_phoff + header->e_phnum * sizeof(ElfW(Phdr)) > kPageBytes)
    return {};
  return {reinterpret_cast<const ElfW(Phdr) *>(object.range.begin + header->e_phoff),
          header->e_phnum};
}

CodeRange segment_around(const LoadedObject &object, Address at, bool executable) {
  if (!object.range.holds(at)) return {};
  Address shift = 0; // the file's first segment says by how much the object was moved
  bool moved = false;
  const ElfW(Word) needed =
      executable ? PF_R | PF_X : 0; // code that may only be executed is not decoded
  for (const ElfW(Phdr) & segment : segments_of(object)) {
    if (segment.p_type != PT_LOAD) continue;
    if (!moved) shift = object.range.begin - round_down(segment.p_vaddr, kPageBytes);
    moved = true;
    const CodeRange range{shift + segment.p_vaddr, shift + segment.p_vaddr + segment.p_filesz};
    if (range.holds(at) && object.range.holds(range.end - 1))
      return (segment.p_flags & needed) == needed ? range : CodeRange{};
  }
  return {};
}

bool is_loader(Address code) {
  const Address base = getauxval(AT_BASE);
  return base != 0 && object_around(base).range.holds(code);
}

} // namespace abut::context
