#include "collect/channel.hpp"

#include "probes/ring/layout.hpp"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>

namespace abut::record {

static_assert(sizeof(ring::Hello) == sizeof(abut_raw_hello) && ring::kMagic == ABUT_RAW_MAGIC);
static_assert(sizeof(ring::Welcome) == sizeof(abut_raw_welcome));

namespace {

constexpr size_t kSlotsBytes = size_t{ABUT_RAW_SLOTS} * ABUT_RAW_SLOT_WORDS * sizeof(abut_raw_word);

[[noreturn]] void fail(const char *what) {
  throw std::system_error(errno, std::generic_category(), what);
}

template <typename Call>
auto retried(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

} // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

Descriptor listen_at(const std::string &name) {
  Descriptor listener(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (!listener.is_open() ||
      bind(listener.get(), reinterpret_cast<const sockaddr *>(&address), length) != 0 ||
      listen(listener.get(), 128) != 0)
    fail("the socket for the traced processes");
  return listener;
}

Descriptor accept_own(const Descriptor &listener) {
  Descriptor connection(
      retried([&] { return accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC); }));
  ucred peer{};
  socklen_t length = sizeof peer;
  const bool is_own = connection.is_open() &&
                      getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 &&
                      (peer.uid == geteuid() || peer.uid == 0 || geteuid() == 0);
  return is_own ? std::move(connection) : Descriptor();
}

Descriptor share_memory(const char *name, size_t bytes, void *&mapped) {
  Descriptor memory(memfd_create(name, MFD_CLOEXEC));
  if (memory.is_open() && ftruncate(memory.get(), static_cast<off_t>(bytes)) == 0)
    mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
  else
    mapped = MAP_FAILED;
  if (mapped == MAP_FAILED) fail("memory to share with the recorded process");
  return memory;
}

Channel::~Channel() {
  if (slots_ != nullptr) munmap(slots_, kSlotsBytes);
}

bool Channel::send(const void *bytes, size_t count) {
  return retried([&] { return ::send(connection_.get(), bytes, count, MSG_NOSIGNAL); }) ==
         static_cast<ssize_t>(count);
}

std::optional<abut_raw_hello> Channel::receive_hello() {
  abut_raw_hello hello{};
  const auto got = retried([&] { return recv(connection_.get(), &hello, sizeof hello, 0); });
  const bool is_known = hello.version == ABUT_RAW_VERSION || hello.version == ring::kVersion;
  if (got != sizeof hello || hello.magic != ABUT_RAW_MAGIC || !is_known) return std::nullopt;
  return hello;
}

void Channel::refuse() {
  const abut_raw_welcome answer{};
  send(&answer, sizeof answer);
}

void Channel::welcome(unsigned session) {
  void *mapped = nullptr;
  const Descriptor memory = share_memory("abut-slots", kSlotsBytes, mapped);
  slots_ = static_cast<uint64_t *>(mapped);

  const abut_raw_welcome answer{1, session, ABUT_RAW_SLOTS, ABUT_RAW_SLOT_WORDS};
  hand_over(memory, &answer, sizeof answer);
}

void Channel::hand_over(const Descriptor &memory, const void *answer, size_t bytes) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  iovec piece{const_cast<void *>(answer), bytes};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr *head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  const int fd = memory.get();
  std::memcpy(CMSG_DATA(head), &fd, sizeof fd);
  retried([&] { return sendmsg(connection_.get(), &message, MSG_NOSIGNAL); });
}

pid_t Channel::peer() const {
  ucred peer{};
  socklen_t length = sizeof peer;
  getsockopt(connection_.get(), SOL_SOCKET, SO_PEERCRED, &peer, &length);
  return peer.pid;
}

std::optional<abut_raw_message> Channel::receive() {
  abut_raw_message message{};
  ssize_t got = 0;
  // Of a process that ended with messages unread, the kernel reports that first; what it had sent can still be read.
  do got = retried([&] { return recv(connection_.get(), &message, sizeof message, 0); });
  while (got < 0 && errno == ECONNRESET);
  if (got != sizeof message) return std::nullopt;
  return message;
}

std::optional<std::span<const uint64_t>> Channel::slot(const abut_raw_message &message) const {
  if (message.slot >= ABUT_RAW_SLOTS || message.words > ABUT_RAW_SLOT_WORDS) return std::nullopt;
  return std::span<const uint64_t>(slots_ + size_t{message.slot} * ABUT_RAW_SLOT_WORDS,
                                   message.words);
}

void Channel::give_back(unsigned slot) {
  const abut_raw_message message{ABUT_RAW_FREED, slot, 0};
  send(&message, sizeof message);
}

void Channel::stop() {
  const abut_raw_message message{ABUT_RAW_STOP, 0, 0};
  send(&message, sizeof message);
}

} // namespace abut::record
