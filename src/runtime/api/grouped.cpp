// The way to a group's pool: where the caller's frame is, is handed on behind the arguments.
#include "api/calls.hpp"
#include "api/export.hpp"
#include "api/frame_stub.hpp"

#include <cstring>

using namespace abut;

ABUT_FRAME("abut_frame_malloc", "%rsi", "%rdx", "abut_grouped_malloc");
ABUT_FRAME("abut_frame_calloc", "%rsi", "%rdx", "abut_grouped_calloc");
ABUT_FRAME("abut_frame_new", "%rsi", "%rdx", "abut_grouped_new");

// The way from a site that is known to have a pool.
namespace {

using Framed = void *(size_t bytes);

template <Framed Frame>
[[gnu::noinline]] void *take_next(size_t bytes, const group::PooledSite &site) {
  void *memory = group::allocate_next(bytes, site);
  return memory != nullptr ? memory : Frame(bytes);
}

template <Framed Frame>
[[gnu::always_inline]] inline void *pooled(size_t bytes, Address known) {
  const auto &site = *reinterpret_cast<const group::PooledSite *>(known);
  const group::Straight at = group::allocate_at(bytes, site);
  if (at.block != nullptr) return at.block;
  return at.is_straight ? take_next<Frame>(bytes, site) : Frame(bytes);
}

} // namespace

ABUT_BODY void *abut_pooled_malloc(size_t bytes, Address known) {
  return pooled<abut_frame_malloc>(bytes, known);
}

ABUT_BODY void *abut_pooled_new(size_t bytes, Address known) {
  return pooled<abut_frame_new>(bytes, known);
}

ABUT_BODY void *abut_grouped_malloc(size_t bytes, const Address *sp, Address rbp) {
  void *memory = group::allocate(bytes, {sp, rbp});
  return memory != nullptr ? memory : entry::allocate_slow(bytes);
}

ABUT_BODY void *abut_grouped_calloc(size_t bytes, const Address *sp, Address rbp) {
  void *memory = abut_grouped_malloc(bytes, sp, rbp);
  if (memory != nullptr) std::memset(memory, 0, bytes);
  return memory;
}
