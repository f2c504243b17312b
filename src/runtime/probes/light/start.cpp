// The life of a recorded process: its begin, and its forks.
#include "base/options.hpp"
#include "os/os.hpp"
#include "probes/light/contexts.hpp"
#include "probes/ring/ring_writer.hpp"

namespace abut::light {
namespace {

// A child must not find a lock that another thread of its parent held.
void before_fork() {
  lock_contexts();
  context::chain_table.lock().lock();
  ring::before_fork();
}

void after_fork_in_parent() {
  context::chain_table.lock().unlock();
  unlock_contexts();
}

void after_fork_in_child() {
  context::chain_table.lock().unlock();
  unlock_contexts();
  forget_contexts();
  ring::after_fork_in_child();
}

// After the options are read (api/start.cpp).
__attribute__((constructor(102))) void start() {
  context::chain_table.configure(static_cast<context::ChainMode>(option_value(Option::chain)));
  if (ring::start()) os::call_at_fork(before_fork, after_fork_in_parent, after_fork_in_child);
}

} // namespace
} // namespace abut::light
