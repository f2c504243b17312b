#include "collect/session/elf_image.hpp"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <vector>

namespace abut::record {

namespace {

// A file is foreign input: what it says of itself is bounded before it is believed.
constexpr uint64_t kMostNoteBytes = 1 << 16;
constexpr uint64_t kPageBytes = 4096;

bool read_at(std::ifstream &file, uint64_t offset, void *to, size_t bytes) {
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(static_cast<char *>(to), static_cast<std::streamsize>(bytes));
  return static_cast<size_t>(file.gcount()) == bytes;
}

std::string hexadecimal(const uint8_t *bytes, size_t count) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

size_t padded(size_t bytes) { return (bytes + 3) & ~size_t{3}; }

std::string build_id_in(const std::vector<uint8_t> &notes) {
  size_t at = 0;
  Elf64_Nhdr note;
  while (at + sizeof note <= notes.size()) {
    std::memcpy(&note, notes.data() + at, sizeof note);
    const size_t name = at + sizeof note;
    const size_t content = name + padded(note.n_namesz);
    if (note.n_namesz > notes.size() || note.n_descsz > notes.size() ||
        content + note.n_descsz > notes.size())
      break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(notes.data() + name, "GNU", 4) == 0)
      return hexadecimal(notes.data() + content, note.n_descsz);
    at = content + padded(note.n_descsz);
  }
  return {};
}

std::string read_build_id(std::ifstream &file, const Elf64_Phdr &part) {
  std::vector<uint8_t> notes(std::min<uint64_t>(part.p_filesz, kMostNoteBytes));
  return read_at(file, part.p_offset, notes.data(), notes.size()) ? build_id_in(notes) : "";
}

bool covers(const Elf64_Phdr &part, uint64_t offset) {
  const uint64_t first = part.p_offset & ~(kPageBytes - 1);
  return offset >= first && offset < part.p_offset + part.p_filesz;
}

} // namespace

std::optional<ElfImage> read_elf_image(const std::string &path, uint64_t offset) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr head;
  if (!read_at(file, 0, &head, sizeof head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof(Elf64_Phdr))
    return std::nullopt;
  std::vector<Elf64_Phdr> parts(head.e_phnum);
  if (!read_at(file, head.e_phoff, parts.data(), parts.size() * sizeof(Elf64_Phdr)))
    return std::nullopt;
  ElfImage image;
  bool has_code = false;
  for (const Elf64_Phdr &part : parts) {
    if (part.p_type == PT_NOTE && image.build_id.empty())
      image.build_id = read_build_id(file, part);
    if (part.p_type != PT_LOAD) continue;
    image.length = std::max(image.length, part.p_vaddr + part.p_memsz);
    if ((part.p_flags & PF_X) == 0 || !covers(part, offset)) continue;
    image.shift = part.p_vaddr - part.p_offset;
    has_code = true;
  }
  return has_code ? std::optional(image) : std::nullopt;
}

} // namespace abut::record
