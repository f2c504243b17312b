#include "allocators/offload/shared_memory.hpp"

#include "os/keep_errno.hpp"
#include "os/plain_calls.hpp"

#include <cstdio>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace abut::offload {
namespace {

constexpr int kHighDescriptor = 900; // where programs hardly look; the usual limit is 1024
constexpr int kAccess = PROT_READ | PROT_WRITE;

uint64_t identity_of(int descriptor) {
  struct stat about = {};
  return fstat(descriptor, &about) == 0 ? about.st_ino : 0;
}

// The file in another process, which has it under the same number; -1 where that is not to be had.
int open_of(unsigned process, const SharedFile &file) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%u/fd/%d", process, file.descriptor);
  const int opened = os::plain_open(path, O_RDWR);
  if (opened >= 0 && identity_of(opened) != file.identity) {
    os::plain_close(opened);
    return -1;
  }
  return opened;
}

} // namespace

SharedFile create_shared_file(size_t bytes) {
  const os::KeepErrno keep;
  SharedFile file;
  rlimit limit = {};
  // Beyond its limit the system would end the program.
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < bytes) return file;
  const int low = memfd_create("abut-heap", MFD_CLOEXEC);
  if (low >= 0) {
    const int high = fcntl(low, F_DUPFD_CLOEXEC, kHighDescriptor);
    if (high >= 0) os::plain_close(low);
    file.descriptor = high >= 0 ? high : low;
    if (ftruncate(file.descriptor, static_cast<off_t>(bytes)) != 0) {
      os::plain_close(file.descriptor);
      file.descriptor = -1;
    } else {
      file.identity = identity_of(file.descriptor);
    }
  }
  return file;
}

void *map_shared(const SharedFile &file, size_t offset, void *place, size_t bytes) {
  const os::KeepErrno keep;
  const int flags = MAP_SHARED | MAP_NORESERVE | (place != nullptr ? MAP_FIXED : 0);
  void *memory = mmap(place, bytes, kAccess, flags, file.descriptor, static_cast<off_t>(offset));
  return memory == MAP_FAILED ? nullptr : memory;
}

bool make_private(const SharedFile &file, unsigned other, size_t offset, void *place,
                  size_t bytes) {
  const os::KeepErrno keep;
  const bool is_here = identity_of(file.descriptor) == file.identity;
  const int descriptor = is_here ? file.descriptor : open_of(other, file);
  // The kernel exchanges mappings as a whole: no thread finds nothing there.
  const bool done =
      descriptor >= 0 && mmap(place, bytes, kAccess, MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED,
                              descriptor, static_cast<off_t>(offset)) != MAP_FAILED;
  if (!is_here && descriptor >= 0) os::plain_close(descriptor);
  return done;
}

bool discard_shared(void *memory, size_t bytes) {
  const os::KeepErrno keep;
  return madvise(memory, bytes, MADV_REMOVE) == 0;
}

// The file's pages would come back otherwise.
bool discard_private(void *memory, size_t bytes) {
  const os::KeepErrno keep;
  return mmap(memory, bytes, kAccess, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
              0) != MAP_FAILED;
}

} // namespace abut::offload
