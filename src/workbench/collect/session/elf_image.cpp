#include "collect/session/elf_image.hpp"

#include "collect/channel.hpp"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <gelf.h>
#include <memory>

namespace abut::record {

namespace {

// A file is foreign input: what it says of itself is bounded before it is believed.
constexpr uint64_t kMostNoteBytes = 1 << 16;
constexpr uint64_t kPageBytes = 4096;

std::string hexadecimal(const uint8_t *bytes, size_t count) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

std::string build_id_in(Elf *elf, const GElf_Phdr &part) {
  const auto form = part.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
  Elf_Data *notes = elf_getdata_rawchunk(elf, static_cast<int64_t>(part.p_offset),
                                         std::min(part.p_filesz, kMostNoteBytes), form);
  GElf_Nhdr note;
  size_t name = 0;
  size_t content = 0;
  for (size_t at = 0;
       notes != nullptr && (at = gelf_getnote(notes, at, &note, &name, &content)) != 0;) {
    const auto *bytes = static_cast<const uint8_t *>(notes->d_buf);
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(bytes + name, "GNU", 4) == 0)
      return hexadecimal(bytes + content, note.n_descsz);
  }
  return {};
}

bool covers(const GElf_Phdr &part, uint64_t offset) {
  const uint64_t first = part.p_offset & ~(kPageBytes - 1);
  return offset >= first && offset < part.p_offset + part.p_filesz;
}

} // namespace

std::optional<ElfImage> read_elf_image(const std::string &path, uint64_t offset) {
  elf_version(EV_CURRENT);
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const std::unique_ptr<Elf, int (*)(Elf *)> elf(elf_begin(file.get(), ELF_C_READ, nullptr),
                                                 elf_end);
  size_t count = 0;
  if (gelf_getclass(elf.get()) != ELFCLASS64 || elf_getphdrnum(elf.get(), &count) != 0)
    return std::nullopt;
  ElfImage image;
  bool has_code = false;
  GElf_Phdr part;
  for (size_t i = 0; i < count; ++i) {
    if (gelf_getphdr(elf.get(), static_cast<int>(i), &part) == nullptr) return std::nullopt;
    if (part.p_type == PT_NOTE && image.build_id.empty())
      image.build_id = build_id_in(elf.get(), part);
    if (part.p_type != PT_LOAD) continue;
    image.length = std::max(image.length, part.p_vaddr + part.p_memsz);
    if ((part.p_flags & PF_X) == 0 || !covers(part, offset)) continue;
    image.shift = part.p_vaddr - part.p_offset;
    has_code = true;
  }
  return has_code ? std::optional(image) : std::nullopt;
}

} // namespace abut::record
