#include "os/environment.hpp"

#include "os/os.hpp"
#include "os/plain_calls.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace abut::os {
namespace {

constexpr size_t kWindow = 64 * KiB;

bool take_value(const char *entry, const char *name, char *text, size_t bytes) {
  const size_t length = std::strlen(name);
  if (std::strncmp(entry, name, length) != 0 || entry[length] != '=') return false;
  std::strncpy(text, entry + length + 1, bytes - 1);
  text[bytes - 1] = '\0';
  return true;
}

// The first part of the environment as the kernel has it, entry after entry, each with its zero.
bool find_in_kernel(const char *name, char *text, size_t bytes) {
  auto *window = static_cast<char *>(map(kWindow));
  if (window == nullptr) return false;
  const int file = plain_open("/proc/self/environ", O_RDONLY);
  const ssize_t length = file >= 0 ? plain_read(file, window, kWindow - 1) : 0;
  if (file >= 0) plain_close(file);
  bool found = false;
  for (ssize_t at = 0; at < length && !found;
       at += static_cast<ssize_t>(std::strlen(window + at)) + 1)
    found = take_value(window + at, name, text, bytes);
  unmap(window, kWindow);
  return found;
}

} // namespace

bool environment_value(const char *name, char *text, size_t bytes) {
  if (environ == nullptr) {
    const int saved = errno;
    const bool found = find_in_kernel(name, text, bytes);
    errno = saved;
    return found;
  }
  for (char **entry = environ; *entry != nullptr; ++entry)
    if (take_value(*entry, name, text, bytes)) return true;
  return false;
}

} // namespace abut::os
