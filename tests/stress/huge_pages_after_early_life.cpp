// Whether the kernel is asked for huge pages, or to refuse them, as ABUT_THP says, for memory that a library's constructor made the
// heap map before it had read that.
// Usage: huge_pages_after_early_life always|never
#include "support/child.hpp"
#include "support/process_memory.hpp"

#include <cstdlib>
#include <string>
#include <string_view>
#include <unistd.h>

using support::require;

namespace {

constexpr int kSkipped = 77;

} // namespace

int main(int, char **arguments) {
  if (access("/sys/kernel/mm/transparent_hugepage", F_OK) != 0) return kSkipped;
  const char *wanted = std::string_view(arguments[1]) == "always" ? " hg" : " nh";
  const void *block = std::malloc(24); // its segment is the first
  require(support::mapping_flags(block).find(wanted) != std::string::npos,
          "the option holds for early memory");
}
