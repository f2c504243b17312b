// The contract of library.hpp, for ELF on x86-64.
#include "os/library.hpp"

#include "os/file.hpp"
#include "os/keep_errno.hpp"
#include "os/os.hpp"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace abut::os {
namespace {

// The tag of relocations that are packed; not every <elf.h> has it.
constexpr ElfW(Sxword) kPacked = 36;

struct Head {
  ElfW(Ehdr) file;
  ElfW(Phdr) parts[16];

  bool is_library() const {
    return std::memcmp(file.e_ident, ELFMAG, SELFMAG) == 0 &&
           file.e_ident[EI_CLASS] == ELFCLASS64 && file.e_type == ET_DYN &&
           file.e_machine == EM_X86_64 && file.e_phoff == sizeof file &&
           file.e_phentsize == sizeof *parts && file.e_phnum <= std::size(parts);
  }
};

int access_to(const ElfW(Phdr) & part) {
  return (part.p_flags & PF_R ? PROT_READ : 0) | (part.p_flags & PF_W ? PROT_WRITE : 0) |
         (part.p_flags & PF_X ? PROT_EXEC : 0);
}

// Of DT_GNU_HASH.
uint32_t hash_of(const char *name) {
  uint32_t hash = 5381;
  for (; *name != 0; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
  return hash;
}

} // namespace

bool Library::map(const char *path) {
  const KeepErrno keep;
  const int file = open_file(path);
  if (file < 0) return false;
  Head head;
  const bool is_mapped = read_file(file, &head, sizeof head) == sizeof head && head.is_library() &&
                         map_parts(file, {head.parts, head.file.e_phnum});
  close_file(file);
  return is_mapped;
}

// The first part takes the addresses of all; the others replace its end.
bool Library::map_parts(int file, std::span<const ElfW(Phdr)> headers) {
  size_t bytes = 0;
  Address dynamic = 0;
  for (const ElfW(Phdr) & part : headers) {
    if (part.p_type == PT_LOAD) bytes = round_up(part.p_vaddr + part.p_memsz, kPageBytes);
    if (part.p_type == PT_DYNAMIC) dynamic = part.p_vaddr;
    if (part.p_type == PT_TLS) return false;
  }
  if (dynamic == 0) return false;
  for (const ElfW(Phdr) & part : headers)
    if (part.p_type == PT_LOAD && !map_part(file, part, bytes)) {
      if (base_ != 0) munmap(at<void>(0), bytes);
      *this = {};
      return false;
    }
  dynamic_ = at<const ElfW(Dyn)>(dynamic);
  return base_ != 0;
}

bool Library::map_part(int file, const ElfW(Phdr) & part, size_t bytes) {
  const Address begin = round_down(part.p_vaddr, kPageBytes);
  const Address end = round_up(part.p_vaddr + part.p_memsz, kPageBytes);
  // Pages that the file does not have would be another mapping.
  const bool is_in_file = end == round_up(part.p_vaddr + part.p_filesz, kPageBytes);
  const bool is_first = base_ == 0;
  if (part_count_ == std::size(parts_) || !is_in_file || is_first != (begin == 0)) return false;
  void *memory = mmap(is_first ? nullptr : at<void>(begin), is_first ? bytes : end - begin,
                      access_to(part), is_first ? MAP_PRIVATE : MAP_PRIVATE | MAP_FIXED, file,
                      static_cast<off_t>(round_down(part.p_offset, kPageBytes)));
  if (memory == MAP_FAILED) return false;
  if (is_first) base_ = reinterpret_cast<Address>(memory);
  const bool is_written = (part.p_flags & PF_W) != 0;
  parts_[part_count_++] = {base_ + begin, end - begin,
                           is_written ? base_ + part.p_vaddr + part.p_filesz : 0};
  return true;
}

bool Library::link(std::span<const Import> imports) {
  if (!read_dynamic()) return false;
  for (const Part &part : parts())
    if (part.written != 0)
      std::memset(reinterpret_cast<void *>(part.written), 0,
                  part.begin + part.bytes - part.written);
  return relocate(data_, imports) && relocate(calls_, imports);
}

bool Library::read_dynamic() {
  const ElfW(Rela) *data = nullptr;
  const ElfW(Rela) *calls = nullptr;
  size_t data_bytes = 0;
  size_t calls_bytes = 0;
  for (const ElfW(Dyn) *entry = dynamic_; entry->d_tag != DT_NULL; ++entry) {
    const Address value = entry->d_un.d_val;
    switch (entry->d_tag) {
    case DT_SYMTAB: symbols_ = at<const ElfW(Sym)>(value); break;
    case DT_STRTAB: names_ = at<const char>(value); break;
    case DT_GNU_HASH: hashes_ = at<const uint32_t>(value); break;
    case DT_RELA: data = at<const ElfW(Rela)>(value); break;
    case DT_RELASZ: data_bytes = value; break;
    case DT_JMPREL: calls = at<const ElfW(Rela)>(value); break;
    case DT_PLTRELSZ: calls_bytes = value; break;
    case DT_TEXTREL:
    case kPacked: return false;
    default: break;
    }
  }
  data_ = {data, data_bytes / sizeof *data};
  calls_ = {calls, calls_bytes / sizeof *calls};
  return symbols_ != nullptr && names_ != nullptr && hashes_ != nullptr;
}

bool Library::relocate(std::span<const ElfW(Rela)> entries, std::span<const Import> imports) const {
  for (const ElfW(Rela) & entry : entries) {
    Address value = base_;
    const auto type = ELF64_R_TYPE(entry.r_info);
    if (type != R_X86_64_RELATIVE &&
        !address_of(symbols_[ELF64_R_SYM(entry.r_info)], imports, value))
      return false;
    switch (type) {
    case R_X86_64_RELATIVE:
    case R_X86_64_64: value += static_cast<Address>(entry.r_addend); break;
    case R_X86_64_GLOB_DAT:
    case R_X86_64_JUMP_SLOT: break;
    default: return false;
    }
    *at<Address>(entry.r_offset) = value;
  }
  return true;
}

bool Library::address_of(const ElfW(Sym) & symbol, std::span<const Import> imports,
                         Address &address) const {
  address = base_ + symbol.st_value;
  if (symbol.st_shndx != SHN_UNDEF) return ELF64_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC;
  const char *name = names_ + symbol.st_name;
  const auto found = std::ranges::find_if(
      imports, [=](const Import &import) { return std::strcmp(import.name, name) == 0; });
  address = found == imports.end() ? 0 : reinterpret_cast<Address>(found->address);
  return address != 0 || ELF64_ST_BIND(symbol.st_info) == STB_WEAK;
}

// The table: how many buckets, which symbol is the first in it, how many words the filter has, which is not looked at,
// and its shift; the filter; each bucket's first symbol; a hash for each symbol, odd where its bucket ends.
void *Library::find(const char *name) const {
  const uint32_t buckets = hashes_[0];
  const uint32_t first = hashes_[1];
  const uint32_t *bucket = hashes_ + 4 + 2 * hashes_[2];
  const uint32_t *hashes = bucket + buckets;
  const uint32_t hash = hash_of(name);
  for (uint32_t i = bucket[hash % buckets]; i >= first; ++i) {
    if ((hashes[i - first] | 1) == (hash | 1) &&
        std::strcmp(names_ + symbols_[i].st_name, name) == 0)
      return at<void>(symbols_[i].st_value);
    if ((hashes[i - first] & 1) != 0) break;
  }
  return nullptr;
}

void Library::rest() const {
  const KeepErrno keep;
  for (const Part &part : parts())
    if (part.written == 0) madvise(reinterpret_cast<void *>(part.begin), part.bytes, MADV_DONTNEED);
}

} // namespace abut::os
