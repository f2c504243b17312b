// A shared library that the dynamic linker knows nothing of.
//
// dlopen() may not be called within malloc: another thread may hold the dynamic linker's lock and wait for one of ours.
// Called when a program starts, it costs every program some 170 microseconds, a fifth of what /bin/true takes. So a file
// is only mapped then, while the program can still open files, and its addresses are filled in once it is wanted.
#pragma once

#include "base/units.hpp"

#include <link.h>
#include <span>

namespace abut::os {

// A function that a library calls and does not have.
struct Import {
  const char *name;
  const void *address;
};

// For a library of functions and tables: what the dynamic linker would call at start is not called.
class Library {
public:
  // Maps the file; false where it is not there, or is no library for this processor.
  bool map(const char *path);
  bool is_mapped() const { return base_ != 0; }

  // Fills in its addresses, once; false where it wants more than `imports`, or what is not known here. This asks
  // nothing of the system.
  bool link(std::span<const Import> imports);

  // A function of the library, which is mapped; null where it exports none of this name.
  void *find(const char *name) const;

  // Its code and tables leave the resident size until they are used again.
  void rest() const;

private:
  struct Part {
    Address begin = 0;
    size_t bytes = 0;
    Address written = 0; // up to here the file has its contents; 0 where it is only read
  };

  bool map_parts(int file, std::span<const ElfW(Phdr)> headers);
  bool map_part(int file, const ElfW(Phdr) & part, size_t bytes);
  bool read_dynamic();
  bool relocate(std::span<const ElfW(Rela)> entries, std::span<const Import> imports) const;
  bool address_of(const ElfW(Sym) & symbol, std::span<const Import> imports,
                  Address &address) const;

  std::span<const Part> parts() const { return {parts_, part_count_}; }
  template <class T>
  T *at(Address offset) const {
    return reinterpret_cast<T *>(base_ + offset);
  }

  Address base_ = 0;
  Part parts_[6];
  size_t part_count_ = 0;
  const ElfW(Dyn) *dynamic_ = nullptr;
  const ElfW(Sym) *symbols_ = nullptr;
  const char *names_ = nullptr;
  const uint32_t *hashes_ = nullptr;
  std::span<const ElfW(Rela)> data_;
  std::span<const ElfW(Rela)> calls_;
};

} // namespace abut::os
