#include "placement/pools/symbol_file.hpp"

#include "os/file.hpp"
#include "os/os.hpp"

#include <cstring>
#include <elf.h>
#include <link.h>

namespace abut::group {

SymbolFile::SymbolFile(const char *path) {
  const int file = os::open_file(path);
  if (file < 0) return;
  size_t bytes = 0;
  const auto *mapped = static_cast<const uint8_t *>(os::map_file(file, bytes));
  os::close_file(file);
  if (mapped == nullptr) return;
  bytes_ = {mapped, bytes};
  find_symbols();
}

SymbolFile::~SymbolFile() {
  if (bytes_.data() != nullptr) os::unmap(const_cast<uint8_t *>(bytes_.data()), bytes_.size());
}

// All symbols, or, where those were stripped, the ones that other objects may use.
void SymbolFile::find_symbols() {
  ElfW(Ehdr) header;
  if (!holds(0, sizeof header)) return;
  std::memcpy(&header, bytes_.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_shentsize != sizeof(ElfW(Shdr)) || header.e_shoff % alignof(ElfW(Shdr)) != 0 ||
      !holds(header.e_shoff, header.e_shnum * sizeof(ElfW(Shdr))))
    return;
  const auto *sections = reinterpret_cast<const ElfW(Shdr) *>(bytes_.data() + header.e_shoff);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const ElfW(Shdr) &table = sections[i];
    if (table.sh_type != SHT_SYMTAB && (table.sh_type != SHT_DYNSYM || symbols_ != 0)) continue;
    if (table.sh_link >= header.e_shnum || !holds(table.sh_offset, table.sh_size)) continue;
    const ElfW(Shdr) &names = sections[table.sh_link];
    if (!holds(names.sh_offset, names.sh_size)) continue;
    first_ = table.sh_offset;
    symbols_ = table.sh_size / sizeof(ElfW(Sym));
    names_ = {reinterpret_cast<const char *>(bytes_.data() + names.sh_offset), names.sh_size};
    if (table.sh_type == SHT_SYMTAB) return;
  }
}

bool SymbolFile::read(size_t number, Function &function) const {
  ElfW(Sym) symbol;
  std::memcpy(&symbol, bytes_.data() + first_ + number * sizeof symbol, sizeof symbol);
  if ((symbol.st_info & 0xf) != STT_FUNC || symbol.st_shndx == SHN_UNDEF || symbol.st_size == 0 ||
      symbol.st_name == 0 || symbol.st_name >= names_.size())
    return false;
  const char *name = names_.data() + symbol.st_name;
  function = {{name, ::strnlen(name, names_.size() - symbol.st_name)},
              symbol.st_value,
              symbol.st_value + symbol.st_size};
  return true;
}

} // namespace abut::group
