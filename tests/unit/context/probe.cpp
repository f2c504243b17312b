#include "context/probe.hpp"

#include "context/entry_stub.hpp"

ABUT_ENTRY_STUB_2(probe, probe_at);

extern "C" __attribute__((visibility("hidden"), used)) void *
probe_at(abut::context::Probe call, void *argument, const uintptr_t *sp, uintptr_t rbp) {
  return call({sp, rbp}, argument);
}
