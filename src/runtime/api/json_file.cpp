#include "api/json_file.hpp"

namespace abut::entry {
namespace {

void expand(const char *path, os::Message &result) {
  for (; *path != '\0'; ++path) {
    if (path[0] == '%' && path[1] == 'p') {
      result << uint64_t{os::process_id()};
      ++path;
    } else {
      result.append(path, 1);
    }
  }
  result.append("", 1);
}

} // namespace

int create_named_file(Option option, const char *variable) {
  const char *path = option_path(option);
  if (*path == '\0') return -1;
  os::Message expanded;
  expand(path, expanded);
  const int file = os::create_file(expanded.text());
  if (file >= 0) return file;
  os::Message text;
  text << "abut: " << variable << "=" << path
       << ": the file cannot be made; is its folder there and writable?\n";
  text.write();
  return -1;
}

} // namespace abut::entry
