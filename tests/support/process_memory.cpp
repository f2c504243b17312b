#include "support/process_memory.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace support {
namespace {

struct MemoryFigures {
  std::size_t mapped;
  std::size_t resident;
};

MemoryFigures memory_figures() {
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  std::array<char, 128> text{};
  const ssize_t got = file < 0 ? -1 : read(file, text.data(), text.size() - 1);
  close(file);
  if (got <= 0) std::abort();
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  char *rest = text.data();
  const std::size_t mapped = std::strtoull(rest, &rest, 10) * page;
  const std::size_t resident = std::strtoull(rest, &rest, 10) * page;
  return {mapped, resident};
}

} // namespace

std::size_t resident_bytes() { return memory_figures().resident; }

std::size_t mapped_bytes() { return memory_figures().mapped; }

std::size_t mapping_count() {
  const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) std::abort();
  std::array<char, 65536> chunk{};
  std::size_t lines = 0;
  for (ssize_t got = 0; (got = read(file, chunk.data(), chunk.size())) > 0;)
    lines += static_cast<std::size_t>(std::count(chunk.begin(), chunk.begin() + got, '\n'));
  close(file);
  return lines;
}

std::string mapping_flags(const void *address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  std::FILE *maps = std::fopen("/proc/self/smaps", "r");
  if (maps == nullptr) std::abort();
  char line[1024];
  bool is_its = false;
  std::string flags;
  while (flags.empty() && std::fgets(line, sizeof line, maps) != nullptr) {
    char *end = nullptr;
    const std::uintptr_t begin = std::strtoull(line, &end, 16);
    if (end != line && *end == '-')
      is_its = begin <= at && at < std::strtoull(end + 1, nullptr, 16);
    if (is_its && std::strncmp(line, "VmFlags:", 8) == 0) flags = line;
  }
  std::fclose(maps);
  return flags;
}

void *map_bytes(std::size_t size) {
  void *start = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) std::abort();
  return start;
}

void unmap_bytes(void *start, std::size_t size) { munmap(start, size); }

} // namespace support
