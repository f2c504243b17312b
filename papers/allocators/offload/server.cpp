// The service as a process of its own: how it begins, how the program leaves it, and what follows if it is killed.
#include "allocators/offload/server_process.hpp"
#include "allocators/offload/service.hpp"
#include "allocators/offload/shared_range.hpp"
#include "os/message.hpp"
#include "os/one_thread.hpp"

namespace abut::offload {

bool Service::share() {
  if (!shared_range.open()) return false;
  if (shared_range.share(*this)) return true;
  shared_range.make_private(0);
  return false;
}

bool Service::start() {
  running_.store(true, std::memory_order_relaxed);
  if (start_server_process(serve_program, this, left_alone, shared_range.descriptor(), server_))
    return true;
  running_.store(false, std::memory_order_relaxed);
  return false;
}

void Service::serve_program(void *self) {
  auto &service = *static_cast<Service *>(self);
  this_side = Side::server;
  service.serve();
  service.running_.store(false, std::memory_order_release);
}

// In the server, as a signal handler: the program has ended, or runs another one, or has closed all its files.
void Service::left_alone() {
  service.leaving_.store(1, std::memory_order_seq_cst);
  service.asleep_.store(0, std::memory_order_seq_cst);
}

void Service::lock() {
  lock_.lock([this](Side holder) { look_at(holder); });
}

// The other side may never unlock what it holds. The server need not wait for a program that is no more.
void Service::look_at(Side holder) {
  if (this_side == Side::server && leaving_.load(std::memory_order_relaxed) != 0) leave_process();
  if (this_side == Side::program && holder == Side::server && !offload::is_running(server()))
    os::fail("malloc", nullptr, "the heap's server was killed at work");
}

// Whether the only thread of the program is a signal handler's, in the midst of a request that holds the lock. If it
// forks, both processes go on with that request.
bool Service::is_interrupted() const {
  return os::has_one_thread() && lock_.holder() == Side::program;
}

void Service::leave_server() {
  if (server() == 0) return;
  leaving_.store(1, std::memory_order_seq_cst);
  for (unsigned tries = 0; is_running(); ++tries) {
    call();
    os::relax(tries);
    constexpr unsigned kLook = 1024;
    if (tries % kLook == kLook - 1 && !offload::is_running(server()))
      running_.store(false, std::memory_order_relaxed);
  }
  if (!shared_range.make_private(server()))
    os::fail("fork", nullptr,
             "the program has closed the file of the memory that it shares with its heap's server; "
             "run it under NAME, not offload:NAME");
  server_.store(0, std::memory_order_relaxed);
}

} // namespace abut::offload
