#include "collect/rings/ring_source.hpp"

#include <cerrno>
#include <fstream>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

namespace abut::record {

RingSource::RingSource(Channel &channel, unsigned session, Manner manner)
    : process_(static_cast<int>(syscall(SYS_pidfd_open, channel.peer(), 0))) {
  if (!process_.is_open())
    throw std::system_error(errno, std::generic_category(), "the recorded process");
  void *mapped = nullptr;
  const Descriptor memory = share_memory("abut-rings", ring::kSharedBytes, mapped);
  header_ = ring::begin_header(mapped);
  header_->collector = getpid();
  header_->session = session;
  header_->waits = manner.waits;
  header_->follow = manner.follow;
  header_->accesses = manner.accesses;
  header_->after_mark = manner.part.after_mark;
  header_->window_part = manner.part.window_part;
  header_->window_whole = manner.part.window_whole;
  const ring::Welcome welcome{1, session};
  channel.hand_over(memory, &welcome, sizeof welcome);
}

// Whatever ends the reading, a program that waits goes on.
RingSource::~RingSource() {
  header_->stopped.store(1);
  munmap(header_, ring::kSharedBytes);
}

bool RingSource::has_ended() const {
  pollfd look{process_.get(), POLLIN, 0};
  return poll(&look, 1, 0) > 0;
}

std::vector<std::string> command_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/cmdline");
  std::vector<std::string> command;
  for (std::string word; std::getline(file, word, '\0');) command.push_back(word);
  return command;
}

} // namespace abut::record
