// Whether the kernel is asked for huge pages, or to refuse them, as ABUT_THP says, for memory that a library's constructor made the
// heap map before it had read that.
// Usage: huge_pages_after_early_life always|never
#include "support/child.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <unistd.h>

using support::require;

namespace {

constexpr int kSkipped = 77;

// The flags of the mapping that an address lies in, as the kernel names them.
std::string flags_of(const void *address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  std::FILE *maps = std::fopen("/proc/self/smaps", "r");
  require(maps != nullptr, "the kernel lists the mappings");
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

} // namespace

int main(int, char **arguments) {
  if (access("/sys/kernel/mm/transparent_hugepage", F_OK) != 0) return kSkipped;
  const char *wanted = std::string_view(arguments[1]) == "always" ? " hg" : " nh";
  const void *block = std::malloc(24); // its segment is the first
  require(flags_of(block).find(wanted) != std::string::npos, "the option holds for early memory");
}
