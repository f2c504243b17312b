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

void complain(const char *variable, const char *path, const char *fault) {
  os::Message text;
  text << "abut: " << variable << "=" << path << ": " << fault << "\n";
  text.write();
}

} // namespace

void write_named_file(Option option, const char *variable, bool (*write)(int file)) {
  const char *path = option_path(option);
  if (*path == '\0') return;
  os::Message expanded;
  expand(path, expanded);
  const int file = os::create_file(expanded.text());
  if (file < 0)
    return complain(variable, path, "the file cannot be made; is its folder there and writable?");
  if (!write(file))
    complain(variable, path, "not all of it could be written; is there room on the disk?");
  os::close_file(file);
}

} // namespace abut::entry
