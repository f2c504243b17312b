// The collector's end of the connection with one traced process: messages, and the slots in shared memory.
#pragma once

#include "collect/raw_stream.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <sys/types.h>
#include <utility>

namespace abut::record {

// A file descriptor that is closed with its owner.
class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor &&other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

private:
  int fd_ = -1;
};

// A socket with an abstract name, which is `name`. Throws std::system_error.
Descriptor listen_at(const std::string &name);
// The next connection, by a process of this user; none where there was another's or no more are to come.
Descriptor accept_own(const Descriptor &listener);

// Memory to share with a recorded process, mapped at `mapped`. Throws std::system_error.
Descriptor share_memory(const char *name, size_t bytes, void *&mapped);

class Channel {
public:
  explicit Channel(Descriptor connection) : connection_(std::move(connection)) {}
  Channel(const Channel &) = delete;
  Channel &operator=(const Channel &) = delete;
  ~Channel();

  // None where it is not one of ours that calls.
  std::optional<abut_raw_hello> receive_hello();
  void refuse();
  // Makes the slots, and hands them to the process. Throws std::system_error.
  void welcome(unsigned session);
  // Hands over other memory, with what is to be said of it.
  void hand_over(const Descriptor &memory, const void *answer, size_t bytes);
  // The process at the other end, as this one knows it.
  pid_t peer() const;

  // None at the connection's end.
  std::optional<abut_raw_message> receive();
  // The words of a slot that was handed over; none where the message is wrong.
  std::optional<std::span<const uint64_t>> slot(const abut_raw_message &message) const;
  void give_back(unsigned slot);
  void stop();
  void close() { connection_ = Descriptor(); }

private:
  bool send(const void *bytes, size_t count);

  Descriptor connection_;
  uint64_t *slots_ = nullptr;
};

} // namespace abut::record
