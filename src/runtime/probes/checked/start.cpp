// The life of a process whose blocks are looked at.
#include "context/chain_table.hpp"
#include "heap/heap_registry.hpp"
#include "os/guard.hpp"
#include "probes/checked/blocks.hpp"
#include "probes/checked/settings.hpp"

// api/start.cpp asks whether it is there.
extern const char kChecksBlocks __asm__("abut_checks_blocks") __attribute__((visibility("hidden")));
const char kChecksBlocks = 1;

namespace abut::checked {
namespace {

// Those locks are taken at a fork, too: a child must not find one that another thread of its parent held.
__attribute__((constructor(102))) void start() {
  settings();
  heap::heap_registry.take_first(context::chain_table.lock());
  heap::heap_registry.take_first(records.lock());
  os::call_at_fault(explain_fault);
}

__attribute__((destructor(102))) void end() { look_at_all(); }

} // namespace
} // namespace abut::checked
