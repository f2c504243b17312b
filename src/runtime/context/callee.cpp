#include "context/callee.hpp"

#include "context/loaded_code.hpp"

#include <link.h>

#ifdef ABUT_ZYDIS
namespace abut::context {

namespace {

constexpr const char *kFillers[] = {"memset",       "memcpy",       "memmove",
                                    "__memset_chk", "__memcpy_chk", "__memmove_chk"};

bool is_filler(const char *name) {
  for (const char *filler : kFillers)
    if (std::strcmp(name, filler) == 0) return true;
  return false;
}

// The tables of an object that name what its global offset table leads to.
struct Relocations {
  const ElfW(Rela) * lists[2] = {};
  size_t bytes[2] = {};
  const ElfW(Sym) *symbols = nullptr;
  const char *names = nullptr;

  Relocations(const link_map &map, CodeRange range) {
    // Where this section is read-only, the dynamic linker has left offsets there.
    const auto table = [&](auto *&place, Address value) {
      const Address address = range.holds(value) ? value : value + map.l_addr;
      if (range.holds(address)) place = reinterpret_cast<decltype(&*place)>(address);
    };
    for (const ElfW(Dyn) *entry = map.l_ld; entry && entry->d_tag != DT_NULL; ++entry) {
      const auto value = entry->d_un.d_ptr;
      switch (entry->d_tag) {
      case DT_JMPREL: table(lists[0], value); break;
      case DT_PLTRELSZ: bytes[0] = value; break;
      case DT_RELA: table(lists[1], value); break;
      case DT_RELASZ: bytes[1] = value; break;
      case DT_SYMTAB: table(symbols, value); break;
      case DT_STRTAB: table(names, value); break;
      default: break;
      }
    }
  }

  const char *name_of(Address offset) const {
    for (unsigned list = 0; list < 2 && symbols && names; ++list)
      for (size_t i = 0; lists[list] && i < bytes[list] / sizeof(ElfW(Rela)); ++i)
        if (const ElfW(Rela) &entry = lists[list][i]; entry.r_offset == offset)
          return names + symbols[ELF64_R_SYM(entry.r_info)].st_name;
    return "";
  }
};

bool leads_to_filler(Address slot) {
  const LoadedObject object = object_around(slot);
  if (!object) return false;
  const auto &map = *static_cast<const link_map *>(object.identity);
  return is_filler(Relocations(map, object.range).name_of(slot - map.l_addr));
}

bool through_slot(const Instruction &branch, Address after) {
  const ZydisDecodedOperand &target = branch.operands[0];
  return target.type == ZYDIS_OPERAND_TYPE_MEMORY && target.mem.base == ZYDIS_REGISTER_RIP &&
         leads_to_filler(after + static_cast<Address>(target.mem.disp.value));
}

} // namespace

bool fills_memory(const Instruction &branch, Address after) {
  const ZydisDecodedOperand &target = branch.operands[0];
  if (target.type != ZYDIS_OPERAND_TYPE_IMMEDIATE) return through_slot(branch, after);
  Address at = after + target.imm.value.u;
  const CodeRange code = segment_around(object_around(at), at, true);
  Instruction stub;
  for (unsigned i = 0; i < 2 && code.holds(at) && code.holds(at + 15); ++i) {
    if (!decode(at, 15, stub)) return false;
    at += stub.head.length;
    if (stub.head.mnemonic == ZYDIS_MNEMONIC_JMP) return through_slot(stub, at);
    if (stub.head.mnemonic != ZYDIS_MNEMONIC_ENDBR64) return false;
  }
  return false;
}

} // namespace abut::context
#endif
