// What a mapped ELF file says about itself: where it would like to lie, and its build id.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace abut::record {

struct ElfImage {
  std::string build_id; // hexadecimal; empty where it has none
  uint64_t shift = 0;   // address in the file's own terms - offset in the file, of the code
  uint64_t length = 0;  // one past the highest address, in the file's own terms
};

// `offset` is that of a mapped part with code. None where the file cannot be read or is no 64-bit ELF file.
std::optional<ElfImage> read_elf_image(const std::string &path, uint64_t offset);

} // namespace abut::record
