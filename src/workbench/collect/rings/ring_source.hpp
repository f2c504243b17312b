// The rings of one process: the memory that is shared with it, and how long it lives.
#pragma once

#include "collect/channel.hpp"
#include "collect/options.hpp"
#include "probes/ring/layout.hpp"

#include <string>
#include <vector>

namespace abut::record {

class RingSource {
public:
  struct Manner {
    bool waits = false;
    bool follow = false;
    bool accesses = false;
    Part part;
  };

  // Makes the rings, and hands them to the process at the other end. Throws std::system_error.
  RingSource(Channel &channel, unsigned session, Manner manner);
  RingSource(const RingSource &) = delete;
  RingSource &operator=(const RingSource &) = delete;
  ~RingSource();

  ring::Header *header() const { return header_; }
  // Whether the process has ended.
  bool has_ended() const;

private:
  ring::Header *header_ = nullptr;
  Descriptor process_;
};

// What the process was started as.
std::vector<std::string> command_of(pid_t process);

} // namespace abut::record
