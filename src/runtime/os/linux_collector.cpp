// The contract of collector.hpp on Linux.
#include "os/collector.hpp"

#include "os/keep_errno.hpp"
#include "os/message.hpp"
#include "os/plain_calls.hpp"

#include <csignal>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace abut::os {

namespace {

template <class Call>
auto retried(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

int connect_to(const char *name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const size_t length = std::strlen(name);
  if (length + 1 > sizeof address.sun_path) return -1;
  std::memcpy(address.sun_path + 1, name, length); // a zero byte first: a name that is no file
  const int connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (connection < 0) return -1;
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  const auto *where = reinterpret_cast<const sockaddr *>(&address);
  if (retried([&] { return syscall(SYS_connect, connection, where, bytes); }) == 0)
    return connection;
  plain_close(connection);
  return -1;
}

// The file descriptor that comes with the answer, or -1.
int receive_descriptor(int connection, void *answer, size_t answer_bytes) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  iovec piece{answer, answer_bytes};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const auto got =
      retried([&] { return syscall(SYS_recvmsg, connection, &message, MSG_CMSG_CLOEXEC); });
  const cmsghdr *head = CMSG_FIRSTHDR(&message);
  if (got != static_cast<ssize_t>(answer_bytes) || head == nullptr || head->cmsg_type != SCM_RIGHTS)
    return -1;
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(head), sizeof descriptor);
  return descriptor;
}

} // namespace

void *share_memory(const char *name, const void *hello, size_t hello_bytes, void *answer,
                   size_t answer_bytes, size_t bytes) {
  const KeepErrno keep;
  const int connection = connect_to(name);
  if (connection < 0) return nullptr;
  const auto sent = retried([&] {
    return syscall(SYS_sendto, connection, hello, hello_bytes, MSG_NOSIGNAL, nullptr, 0);
  });
  const int shared = sent == static_cast<ssize_t>(hello_bytes)
                         ? receive_descriptor(connection, answer, answer_bytes)
                         : -1;
  plain_close(connection);
  if (shared < 0) return nullptr;
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
  plain_close(shared);
  return memory == MAP_FAILED ? nullptr : memory;
}

bool process_exists(int process) {
  const KeepErrno keep;
  if (kill(process, 0) != 0) return errno != ESRCH;
  // One that has ended, but that its parent has not waited for, does nothing any more.
  Message path;
  path << "/proc/" << static_cast<uint64_t>(process) << "/stat";
  path.append("", 1);
  char text[256] = "";
  const int file = plain_open(path.text(), O_RDONLY);
  if (file < 0) return true;
  const ssize_t got = plain_read(file, text, sizeof text - 1);
  plain_close(file);
  const char *state = got > 0 ? std::strrchr(text, ')') : nullptr;
  return state == nullptr || (state[1] == ' ' && state[2] != 'Z' && state[2] != 'X');
}

void nap(unsigned microseconds) {
  const KeepErrno keep;
  const timespec time{0, static_cast<long>(microseconds) * 1000};
  syscall(SYS_nanosleep, &time, nullptr);
}

void each_mapping(void (*visit)(void *argument, const char *line, size_t length), void *argument) {
  const KeepErrno keep;
  const int file = plain_open("/proc/self/maps", O_RDONLY);
  if (file < 0) return;
  char text[8192];
  size_t held = 0;
  for (;;) {
    const auto got = retried([&] { return plain_read(file, text + held, sizeof text - held); });
    if (got <= 0) break;
    held += static_cast<size_t>(got);
    size_t begin = 0;
    while (const auto *end =
               static_cast<const char *>(std::memchr(text + begin, '\n', held - begin))) {
      const auto length = static_cast<size_t>(end - (text + begin));
      visit(argument, text + begin, length);
      begin += length + 1;
    }
    held -= begin;
    std::memmove(text, text + begin, held);
    if (held == sizeof text) held = 0; // no path is as long
  }
  plain_close(file);
}

} // namespace abut::os
