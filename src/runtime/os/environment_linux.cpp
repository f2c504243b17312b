#include "os/environment.hpp"

#include "os/keep_errno.hpp"
#include "os/os.hpp"
#include "os/plain_calls.hpp"

#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace abut::os {
namespace {

bool take_value(const char *entry, const char *name, char *text, size_t bytes) {
  const size_t length = std::strlen(name);
  if (std::strncmp(entry, name, length) != 0 || entry[length] != '=') return false;
  std::strncpy(text, entry + length + 1, bytes - 1);
  text[bytes - 1] = '\0';
  return true;
}

} // namespace

bool first_environment_value(const char *name, char *text, size_t bytes) {
  if (!heeds_environment()) return false;
  const KeepErrno keep;
  const int file = plain_open("/proc/self/environ", O_RDONLY);
  if (file < 0) return false;
  const size_t name_length = std::strlen(name);
  char window[1024];
  size_t matched = 0; // characters of `name=`, or more where it is this variable
  size_t length = 0;
  bool is_other = false, found = false;
  for (ssize_t got = 0; !found && (got = plain_read(file, window, sizeof window)) > 0;)
    for (const char *at = window; at < window + got && !found; ++at) {
      if (*at == '\0') {
        found = matched > name_length && !is_other;
        matched = 0;
        is_other = false;
      } else if (matched > name_length && !is_other) {
        if (length + 1 < bytes) text[length++] = *at;
      } else if (!is_other) {
        is_other = *at != (matched < name_length ? name[matched] : '=');
        ++matched;
      }
    }
  plain_close(file);
  if (found) text[length] = '\0';
  return found;
}

bool environment_value(const char *name, char *text, size_t bytes) {
  if (!heeds_environment()) return false;
  if (environ == nullptr) return first_environment_value(name, text, bytes);
  for (char **entry = environ; *entry != nullptr; ++entry)
    if (take_value(*entry, name, text, bytes)) return true;
  return false;
}

} // namespace abut::os
