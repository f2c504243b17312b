// The contract of file.hpp on Linux.
#include "os/file.hpp"

#include "os/keep_errno.hpp"
#include "os/plain_calls.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace abut::os {

int open_file(const char *path) {
  const KeepErrno keep;
  return plain_open(path, O_RDONLY);
}

size_t read_file(int file, void *buffer, size_t most) {
  const KeepErrno keep;
  const ssize_t count = syscall(SYS_pread64, file, buffer, most, 0);
  return count < 0 ? 0 : static_cast<size_t>(count);
}

size_t file_bytes(int file) {
  const KeepErrno keep;
  struct stat about = {};
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size <= 0) return 0;
  return static_cast<size_t>(about.st_size);
}

const void *map_file(int file, size_t &bytes) {
  const KeepErrno keep;
  bytes = file_bytes(file);
  if (bytes == 0) return nullptr;
  void *memory = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

bool program_path(char *text, size_t most) {
  const KeepErrno keep;
  const ssize_t length = readlink("/proc/self/exe", text, most - 1);
  text[length < 0 ? 0 : length] = '\0';
  return length > 0;
}

} // namespace abut::os
