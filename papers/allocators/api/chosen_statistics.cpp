// What was asked of the chosen heap, as JSON in the file that ABUT_STATS names, when the program ends.
#include "allocators/api/chosen.hpp"
#include "os/environment.hpp"
#include "os/message.hpp"

namespace abut::chosen {
namespace {

constexpr size_t kLongestPath = 512;

__attribute__((destructor(101))) void write_statistics() {
  char path[kLongestPath];
  if (!os::environment_value("ABUT_STATS", path, sizeof path)) return;
  const layers::Counts all = counts();
  os::Message text;
  text << "{\"heap\": \"" << name() << "\", \"allocations\": " << all.allocations
       << ", \"releases\": " << all.releases << ", \"requested\": " << all.requested
       << ", \"live\": " << uint64_t{all.live_bytes}
       << ", \"most_live\": " << uint64_t{all.most_live_bytes} << ", \"refusals\": " << all.refusals
       << "}\n";
  const int file = os::create_file(path);
  if (file < 0) return;
  os::write_file(file, text.text(), text.length());
  os::close_file(file);
}

} // namespace
} // namespace abut::chosen
